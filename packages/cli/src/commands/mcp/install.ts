import { fileURLToPath } from 'node:url';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../command/base-command.ts';
import { confirm } from '../../command/confirm.ts';
import { parseAddress } from '../../config/credentials.ts';
import { readEnvironment, readExtraCaFile, readMachine, readMovedConfigFolder } from '../../config/environment.ts';
import { readProfiles, requireProfile } from '../../config/profiles.ts';
import { CliError, usageError } from '../../errors/cli-error.ts';
import { EXIT_CODES } from '../../errors/exit-codes.ts';
import { CLIENT_NAMES } from '../../features/mcp/clients.ts';
import * as install from '../../features/mcp/install.ts';
import { isClientHere } from '../../features/mcp/install-plan.ts';
import { KEY_VARIABLE, type McpServer } from '../../features/mcp/mcp-client.ts';
import { renderPlans, resultLines } from '../../features/mcp/render-install.ts';
import { planSkill, renderSkill, SKILL_NAME } from '../../features/mcp/skill.ts';
import { printJson } from '../../format/json.ts';
import { paintFor } from '../../terminal/colors.ts';
import { printNote } from '../../terminal/stderr.ts';
import { writeRendered } from '../../terminal/stdout.ts';

/** From `src` and from `dist` the same file of the package. */
const SKILL = new URL(`../../../skills/${SKILL_NAME}/SKILL.md`, import.meta.url);

interface ServerFlags {
  readonly profile: string | undefined;
  readonly url: string | undefined;
  readonly 'allow-write': boolean;
  readonly 'no-payloads': boolean;
}

export default class McpInstall extends BaseCommand {
  static override summary = 'Add svc mcp to MCP clients: Claude, Cursor, VS Code, Codex and others';
  static override description =
    'Without --client it lists the clients on this machine and what it would do, and in a terminal asks whether to do it. It uses the program of the client (claude, codex, gemini) if that is installed, and else edits its JSON file: unknown keys stay, and the old file is kept as FILE.svc-backup. For files in another format it prints what to put there. No file gets a key: the profile of --profile holds it, and with --url clients read it from SVC_API_KEY. --json prints {"applied", "exitCode", "clients": [{"client", "found", "file", "key", "action", "applied", "diff", "commands", "snippet", "backup", "error"}]}, where action is add, update, remove, same or manual; with --skill also "skill": [{"file", "action"}].';
  static override environment = ['SVC_PROFILE', 'SVC_CONFIG_DIR'] as const;
  static override examples = [
    {
      description: 'Which clients are here, and what would be done',
      command: '<%= config.bin %> mcp install --dry-run',
    },
    {
      description: 'Add it to two clients, with tools that change something',
      command: '<%= config.bin %> mcp install --client cursor --client claude-code --allow-write',
    },
    {
      description: 'The tools of a server, without a process on this machine',
      command: '<%= config.bin %> mcp install --client vscode --url https://sync.example.com',
    },
    {
      description: 'Only the skill, for the project',
      command: '<%= config.bin %> mcp install --skill --scope project',
    },
  ];
  static override exitCodes = {
    3: 'no client was found, and none was named',
    4: 'no profile has a key',
    10: 'some clients were changed, others not',
  };
  static override flags = {
    client: Flags.option({
      options: CLIENT_NAMES,
      description: 'A client, whether it is found or not; can be repeated',
      multiple: true,
      helpValue: 'NAME',
    })(),
    scope: Flags.option({
      options: ['user', 'project'] as const,
      description: 'All projects of this user, or the project in the current folder',
      default: 'user' as const,
    })(),
    'allow-write': Flags.boolean({
      description: 'Also offer the tools that change something, as far as the key may use them',
      exclusive: ['url', 'remove'],
    }),
    'no-payloads': Flags.boolean({ description: 'Leave out text of third parties', exclusive: ['url', 'remove'] }),
    url: Flags.string({
      description: 'Address of a server that clients call over HTTP, in place of a process on this machine',
      helpValue: 'URL',
      exclusive: ['remove'],
    }),
    remove: Flags.boolean({ description: 'Remove svc from the clients' }),
    skill: Flags.boolean({
      description:
        'Copy the skill that teaches agents this service to .agents/skills, and for Claude Code to .claude/skills; without --client do only that',
    }),
    'dry-run': Flags.boolean({ description: 'Only show what would be done' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(McpInstall);
    const machine = readMachine();
    const isOnlySkill = flags.skill && flags.client === undefined;
    const server = flags.remove || isOnlySkill ? null : this.#server(flags);
    const here = CLIENT_NAMES.filter((name) => isClientHere(name, machine));
    const names = isOnlySkill ? [] : (flags.client ?? here);
    if (names.length === 0 && !isOnlySkill) {
      const hint = `Name one with --client: ${CLIENT_NAMES.join(', ')}.`;
      throw new CliError('no_client', EXIT_CODES.notFound, 'No MCP client was found on this machine', hint);
    }
    const plans = await install.planClients(names, { server, scope: flags.scope }, machine);
    throwOnlyError(plans);
    const skillRoot = flags.scope === 'user' ? machine.home : machine.project;
    const hasClaudeCode = (flags.client ?? here).includes('claude-code');
    const skill = flags.skill ? planSkill(skillRoot, flags.remove ? null : SKILL, hasClaudeCode) : [];
    if (!flags.json) {
      await writeRendered(renderPlans(plans, flags.remove, paintFor(process.stdout)) + renderSkill(skill));
    }
    const changes = plans.filter(({ plan }) => plan?.kind === 'change');
    const isChosen = flags.client !== undefined || isOnlySkill;
    const hasChanges = changes.length > 0 || skill.some(({ action }) => action !== 'same');
    const isAgreed = hasChanges && !flags['dry-run'] && (isChosen || (await askUser(changes, flags.json)));
    const outcomes = isAgreed ? await install.applyPlans(plans) : plans;
    throwOnlyError(outcomes);
    if (isAgreed) for (const { apply } of skill) await apply();
    const exitCode = install.exitCodeOf(outcomes);
    process.exitCode = exitCode;
    if (flags.json) {
      const copies = flags.skill ? { skill: skill.map(({ file, action }) => ({ file, action })) } : {};
      await printJson({ applied: isAgreed, exitCode, clients: outcomes.map(install.summarizeOutcome), ...copies });
      return;
    }
    for (const line of resultLines(outcomes)) this.notice(line);
    if (isAgreed && skill.length > 0) this.notice(flags.remove ? 'Removed the skill.' : 'Copied the skill.');
    if (isAgreed && flags.url !== undefined) {
      this.notice(`Clients read the key from ${KEY_VARIABLE} in their environment; VS Code asks for it.`);
    }
    if (hasChanges && !isAgreed) {
      const chosen = changes.map(({ client }) => ` --client ${client}`).join('');
      const way = flags['dry-run'] ? 'without --dry-run' : `with${chosen}`;
      printNote(`Nothing was changed; the same command ${way} does it.`, false);
    }
  }

  #server(flags: ServerFlags): McpServer {
    if (flags.url !== undefined) {
      if (flags.profile !== undefined) throw usageError('Use either --url or --profile, not both');
      const address = parseAddress(flags.url, '--url').replace(/\/+$/, '');
      return { transport: 'http', url: address.endsWith('/mcp') ? address : `${address}/mcp` };
    }
    const store = readProfiles(this.config.configDir);
    const profile = flags.profile ?? readEnvironment().profile ?? store.active;
    if (profile === null) {
      const hint = 'Run `svc login`: clients start svc with the profile that it stores.';
      throw new CliError('no_api_key', EXIT_CODES.notAuthenticated, 'No profile has a key', hint);
    }
    requireProfile(store, profile);
    return install.describeStdioServer({
      runFile: fileURLToPath(new URL('../../../bin/run.js', import.meta.url)),
      profile,
      allowsWrites: flags['allow-write'],
      hidesText: flags['no-payloads'],
      configDir: readMovedConfigFolder(),
      extraCaFile: readExtraCaFile(),
    });
  }
}

/** A single client that fails is the failure of the command. */
function throwOnlyError(outcomes: readonly install.ClientOutcome[]): void {
  const [only, ...others] = outcomes;
  if (only !== undefined && others.length === 0 && only.error !== null) throw only.cause;
}

/** Asks whether to change the clients that were found; nobody is asked without a terminal, or by a program. */
async function askUser(changes: readonly install.ClientOutcome[], isJson: boolean): Promise<boolean> {
  if (isJson || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  await confirm(`Change ${changes.map(({ title }) => title).join(', ')}`, { yes: false });
  return true;
}
