/**
 * A simulated HubSpot in its own process: `node crm-server.ts DELAY_MS`. Answers `count` with the number of emails that
 * have their contact, and `report` with the calls and those emails since the last report.
 */
import { startHubspotSimulator } from '@svc/simulators';
import { answerLines } from '../support/process.ts';

/** What HubSpot got. */
export type CrmReport = {
  readonly calls: number;
  /** Subject of each email, and when it had its contact, in milliseconds since 1970. */
  readonly emails: readonly (readonly [string, number])[];
};

type Written = { readonly id: string; readonly properties: Readonly<Record<string, string>> };

/** Subjects by the id of the email. */
const subjects = new Map<string, string>();
const finished = new Set<string>();
let emails: [string, number][] = [];
let callsBefore = 0;

const simulator = await startHubspotSimulator({
  delayMs: Number(process.argv[2]),
  onExchange({ method, url, body, answer }) {
    if (method !== 'POST' || answer === null || answer.status >= 300) return;
    const { pathname } = url;
    const answered = answer.body as Written & { results: readonly Written[] & readonly { from: { id: string } }[] };
    if (pathname.endsWith('/emails')) {
      subjects.set(answered.id, answered.properties['hs_email_subject'] ?? '');
      if ((body as { associations?: object[] }).associations?.length === 1) finish(answered.id);
    } else if (pathname.endsWith('/emails/batch/upsert')) {
      for (const { id, properties } of answered.results) subjects.set(id, properties['hs_email_subject'] ?? '');
    } else if (pathname.endsWith('/emails/contacts/batch/associate/default')) {
      for (const { from } of answered.results) finish(from.id);
    }
  },
});

/** An email that is associated again is not written again. */
function finish(id: string): void {
  if (finished.has(id)) return;
  finished.add(id);
  emails.push([subjects.get(id) ?? '', Date.now()]);
}

async function answer(line: string): Promise<string> {
  if (line === 'count') return String(finished.size);
  const { requests } = simulator.state().counts;
  const report: CrmReport = { calls: requests - callsBefore, emails };
  callsBefore = requests;
  emails = [];
  return JSON.stringify(report);
}

answerLines(simulator.url, answer, () => void simulator.close());
