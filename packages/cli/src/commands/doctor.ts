import { BaseCommand, maxRetriesFlag } from '../command/base-command.ts';
import { EXIT_CODES } from '../errors/exit-codes.ts';
import { readSettings, type Settings } from '../config/settings.ts';
import { paintFor } from '../terminal/colors.ts';
import { renderChecks } from '../features/doctor/render.ts';
import { printJson } from '../format/json.ts';
import { terminalWidth, writeRendered } from '../terminal/stdout.ts';
import { runDoctor } from '../features/doctor/run-doctor.ts';

export default class Doctor extends BaseCommand {
  static override summary = 'Check the installation and explain how to fix problems';
  static override description =
    'Checks version, files, address, certificates, proxy, DNS, TLS, health, clock, key and scopes. Exits with 1 if a check is FAIL.';
  static override examples = [
    { description: 'Run all checks', command: '<%= config.bin %> doctor' },
    {
      description: 'Only problems, for a support ticket',
      command: '<%= config.bin %> doctor --jq \'.checks[] | select(.status == "fail" or .status == "warn")\'',
    },
  ];
  static override exitCodes = {
    1: 'a check is FAIL',
  };
  static override flags = { 'max-retries': maxRetriesFlag({ default: 0 }) };

  /** Ignores a broken file, which is reported as a failed check. */
  protected override settings(): Settings {
    try {
      return readSettings(this.config.configDir);
    } catch {
      return {};
    }
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const checks = await runDoctor(this.config, {
      timeoutMs: flags.timeout * 1000,
      resolve: () => this.credentials(flags),
      connect: (credentials) => this.createClient(credentials, flags),
    });
    const ok = checks.every(({ status }) => status !== 'fail');
    if (flags.json) await printJson({ ok, checks });
    else await writeRendered(renderChecks(checks, terminalWidth(), paintFor(process.stdout)));
    if (!ok) process.exitCode = EXIT_CODES.unexpected;
  }
}
