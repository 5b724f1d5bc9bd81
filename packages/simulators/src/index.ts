export type { Exchange } from './http/server.ts';
export { startHubspotSimulator, type HubspotSimulator } from './hubspot/simulator.ts';
export {
  type MailFault,
  type MailSimulator,
  type MailSimulatorOptions,
  type SimulatedMail,
  startMailSimulator,
} from './mail-server.ts';
export { OauthSimulator, type SimulatedClient, type TokenFault } from './oauth/oauth.ts';
export { startPipedriveSimulator, type PipedriveSimulator } from './pipedrive/simulator.ts';
export { DEFAULT_ORGANIZATIONS, type ProgramOptions, type SimulatedCrm, startSimulatorProgram } from './program.ts';
export { startReceiverSimulator, type ReceiverSimulator } from './receiver.ts';
export { startSequencerSimulator, type SequencerSimulator } from './sequencer.ts';
export {
  type SalesforceFault,
  type SalesforceSimulator,
  type SalesforceSimulatorOptions,
  startSalesforceSimulator,
} from './salesforce/simulator.ts';
export { seedLists, startSimulatedWorld, type SimulatedWorld } from './simulated-world.ts';
export { answerAsChat } from './chats.ts';
