import type { Verification } from './verify.ts';
import type { RecordLine } from '../../format/record.ts';

/** The verdict, then what is known of the delivery. */
export function verificationLines({ valid, message, hint, signedAt, ageSeconds, event }: Verification): RecordLine[] {
  return [
    { label: 'Signature', ...(valid ? { text: 'valid', tone: 'good' } : { text: 'NOT VALID', tone: 'bad' }) },
    ...(message === null ? [] : [{ label: 'Problem', text: message }]),
    ...(hint === null ? [] : [{ label: 'Hint', text: hint }]),
    ...(signedAt === null || ageSeconds === null
      ? []
      : [{ label: 'Signed at', text: `${signedAt} (${describeAge(ageSeconds)})` }]),
    ...(event === null
      ? []
      : [
          { label: 'Event', text: event.id },
          { label: 'Type', text: event.type },
          { label: 'Summary', text: event.summary },
        ]),
  ];
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

function describeAge(seconds: number): string {
  const distance = Math.abs(seconds);
  const [size, unit] = UNITS.find(([each]) => distance >= 2 * each) ?? [1, 's'];
  return `${Math.floor(distance / size)} ${unit} ${seconds < 0 ? 'ahead' : 'ago'}`;
}
