import * as z from 'zod';
import { declare, noun, one } from './declare.ts';

/** What a backup says of itself. */
export interface Manifest {
  /** Version of the svc-server that wrote the backup. */
  release: string;
  /** Version of the newest migration. */
  schema: number;
  createdAt: string;
  host: string;
  dataDir: string;
  /** Jobs that were waiting; a server on the restored database runs them. */
  waitingJobs: number;
  hasKey: boolean;
}

const reader = z.strictObject({
  /** The process that reads the copy, which is deleted when that process is gone. */
  pid: z.int('must be a process id').min(1),
});

export const copyForBackup = declare({
  name: 'backup/copy',
  command: null,
  description: 'copy database and key to a folder that only this user can read',
  permission: 'write',
  onlyOnMachine: true,
  input: reader,
  result: { folder: one<string>(), manifest: one<Manifest>() },
});

export const finishBackup = declare({
  name: 'backup/finish',
  command: null,
  description: 'delete the copy; the doctor reads of backups in the audit entries of these calls',
  permission: 'write',
  onlyOnMachine: true,
  input: reader.extend({ isWritten: z.boolean() }),
  result: {},
});

export const backup = noun('backup', 'the copy that svc-server backup makes', [copyForBackup, finishBackup]);
