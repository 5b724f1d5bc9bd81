import * as z from 'zod';
import { declare, list, noun } from './declare.ts';

/** One line of the doctor's report. */
export interface Check {
  /** Name of the check, one or two words. */
  name: string;
  status: 'PASS' | 'WARN' | 'FAIL';
  message: string;
  /** How to fix the problem; null when there is nothing to do. */
  fix: string | null;
}

export const checkInstallation = declare({
  name: 'doctor/check',
  command: null,
  description: 'check database, queue, encryption key, CRM tokens and addresses',
  permission: 'read',
  input: z.strictObject({}),
  result: { checks: list<Check>() },
});

export const doctor = noun('doctor', 'the part of svc-server doctor that needs the database', [checkInstallation]);
