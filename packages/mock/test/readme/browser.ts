import { createMock } from '@svc/mock';
import { setupWorker } from 'msw/browser';

const mock = createMock({ scenario: 'not-ready' });
const worker = setupWorker(...mock.handlers('https://api.example.com'));
await worker.start({ onUnhandledFrame: 'bypass' });
