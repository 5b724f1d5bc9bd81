/** Recorders and replays of the mock's package. */
export { createRecorder, createReplay } from '@svc/mock';
