export { startHubspotSimulator, type HubspotSimulator } from './hubspot/simulator.ts';
export { startPipedriveSimulator, type PipedriveSimulator } from './pipedrive/simulator.ts';
export { startReceiverSimulator, type ReceiverSimulator } from './receiver.ts';
export { startSequencerSimulator, type SequencerSimulator } from './sequencer.ts';
export { seedLists, startSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';
