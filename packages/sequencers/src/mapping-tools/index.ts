/** For people who write a mapping: a proposal from received payloads, and what a mapping reads from one. */
export { explainReading, listEventNames, type PayloadReading, type SeenEventName } from './explain.ts';
export { type MappingProposal, proposeMapping } from './propose-mapping.ts';
export { type ReadSample, warnOfSamples } from './sample-warnings.ts';
