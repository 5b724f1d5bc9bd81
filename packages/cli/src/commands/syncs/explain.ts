import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../command/base-command.ts';
import { fieldsFlag } from '../../command/flags.ts';
import { EXPLANATION_FIELDS, withCommands } from '../../features/explain/explanation.ts';
import { explainSync } from '@svc/mcp/explain/explain-sync';
import { renderExplanation } from '../../features/explain/render.ts';
import { toMinute } from '../../format/times.ts';
import { parseFields } from '../../format/fields.ts';
import { printRecord } from '../../format/record.ts';
import { terminalWidth } from '../../terminal/stdout.ts';

export default class SyncsExplain extends BaseCommand {
  static override summary = 'Show what happened to the event of a sync, and what to do about it';
  static override description =
    'Collects the request, all attempts to write the event with the answers of the CRM, the deliveries of the request and the state of the connection. What the key may not read is named under "Not known". --json prints {"sync", "outcome", "request", "source", "connection", "blockers", "failingSource", "attempts", "otherSyncs", "deliveries", "nextSteps": [{"text", "command"}], "gaps": [{"part", "reason"}]}, where outcome is written, warning or failed.';
  static override examples = [
    { description: 'Why did this sync fail?', command: '<%= config.bin %> syncs explain 700123' },
    {
      description: 'The commands that help, for a script',
      command: "<%= config.bin %> syncs explain 700123 --jq '.nextSteps[].command | strings'",
    },
  ];
  static override args = { id: Args.integer({ description: 'Id of the sync', required: true, min: 1 }) };
  static override flags = { fields: fieldsFlag };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SyncsExplain);
    const fields = parseFields(flags.fields, EXPLANATION_FIELDS);
    const explanation = withCommands(await explainSync(this.connect(flags), args.id, toMinute));
    await printRecord(explanation, {
      isJson: flags.json,
      fields,
      render: (paint) => renderExplanation(explanation, terminalWidth(), paint),
    });
  }
}
