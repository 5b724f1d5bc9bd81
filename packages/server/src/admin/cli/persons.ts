import { erasePersonData } from '@svc/operations/declared/persons';
import { handWritten } from './define.ts';

export const persons = [
  handWritten(erasePersonData, {
    after({ isErased, waitingRequests, failedRows }) {
      // So that a script does not take it for done.
      if (isErased && waitingRequests + failedRows > 0) process.exitCode = 1;
    },
  }),
];
