/** The documents for users of the API and operators of the server, which `/docs/<name>.md` serves and `/llms.txt` lists. */

export interface ServedDocument {
  /** Path below `/docs`, without `.md`. */
  readonly name: string;
  /** File in the repository. */
  readonly source: string;
  readonly title: string;
  readonly note?: string;
}

export interface DocumentSection {
  readonly title: string;
  readonly documents: readonly ServedDocument[];
}

export const DOCUMENT_SECTIONS: readonly DocumentSection[] = [
  {
    title: 'Use the service',
    documents: [
      {
        name: 'skill',
        source: 'packages/cli/skills/sequencer-crm-sync/SKILL.md',
        title: 'Skill for agents',
        note: 'the six questions that people ask most, each with commands, MCP tools and calls of the SDK',
      },
      inDocs('mcp', 'MCP', 'the API as tools of an agent, with svc mcp or over HTTP'),
      inDocs('cli', 'svc: all commands', 'arguments, flags, examples and exit codes of the command line'),
      readme('command-line', 'cli', 'svc: the command line', 'install, ranges, output, JSON, exit codes'),
      readme('sdk', 'sdk', 'SDK for TypeScript and JavaScript', 'client, lists, retries, errors, receiving webhooks'),
      readme('mock', 'mock', 'Mock', 'the whole service offline, for tests and for trying things out'),
      inDocs('testing-with-the-mock', 'Test with the mock in CI'),
      inDocs('automation', 'Run svc on a schedule', 'cron, systemd and GitHub Actions'),
      inDocs('troubleshooting', 'Troubleshooting', 'symptoms, their causes and what to do'),
    ],
  },
  {
    title: 'Set the service up',
    documents: [
      inDocs('dashboard', 'The dashboard'),
      inDocs('configuration', 'Configuration as code', 'accounts and all that belongs to them in one file'),
      inDocs('policy', 'Write policies', 'what of the events of a source reaches the CRM'),
      inDocs('relays', 'Reply relays', 'copies of replies for sales reps'),
      inDocs('receipts', 'Requests', 'what sequencers posted, and how to read it again'),
      inDocs('erasure', "Erase a person's data"),
      inDocs('alert-channels', 'Alert channels', 'messages about incidents to chats, mail and programs'),
      inDocs('crm/hubspot', 'HubSpot'),
      inDocs('crm/salesforce', 'Salesforce'),
      inDocs('crm/pipedrive', 'Pipedrive'),
      inDocs('sequencers/any-other', 'Any other sequencer', 'mappings for platforms without an adapter'),
      inDocs('sequencers/ready-mappings', 'Ready mappings'),
      inDocs('sequencers/webhooks', 'Webhooks at the sequencer'),
      inDocs('sequencers/authenticity', 'Authenticity of inbound posts', 'secrets and signatures'),
      inDocs('sequencers/block-lists', 'Block lists'),
      inDocs('sequencers/backfill', 'Backfill', 'events from before a source was connected'),
    ],
  },
  {
    title: 'Run the server',
    documents: [
      readme('server', 'server', 'svc-server', 'all commands of operators'),
      inDocs('operating', 'Operating', 'settings, keys, limits, health, metrics'),
      inDocs('deploying', 'Deploying'),
      inDocs('upgrading', 'Upgrading'),
      inDocs('backup', 'Backup and restore'),
      inDocs('alerts', 'Alerts', 'rules for Prometheus, each with what to do'),
    ],
  },
  {
    title: 'Optional',
    documents: [
      inDocs('high-availability', 'High availability'),
      inDocs('scaling', 'Scaling'),
      inDocs('ingest-buffer', 'The ingest buffer'),
      inDocs('telemetry', 'Telemetry'),
      inDocs('rehearsal', 'Rehearse production on your own machine'),
      inDocs('sequencers/smartlead', 'Smartlead'),
      inDocs('sequencers/instantly', 'Instantly'),
      inDocs('sequencers/lemlist', 'lemlist'),
      inDocs('sequencers/emailbison', 'EmailBison'),
      inDocs('sequencers/heyreach', 'HeyReach'),
      inDocs('sequencers/reply-io', 'Reply.io'),
      inDocs('sequencers/outreach', 'Outreach'),
      inDocs('sequencers/salesloft', 'Salesloft'),
    ],
  },
];

export const DOCUMENTS: readonly ServedDocument[] = DOCUMENT_SECTIONS.flatMap(({ documents }) => documents);

/** A document of `docs/`, where it has the same path. */
function inDocs(name: string, title: string, note?: string): ServedDocument {
  return { name, source: `docs/${name}.md`, title, ...(note === undefined ? {} : { note }) };
}

function readme(name: string, packageName: string, title: string, note: string): ServedDocument {
  return { name, source: `packages/${packageName}/README.md`, title, note };
}
