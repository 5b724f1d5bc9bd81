import { readFileSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { guardWrite } from '../../errors/write-error.ts';
import { readConfigText, replaceConfigText } from './config-edit.ts';

/** The folder of the skill has its name. */
export const SKILL_NAME = 'sequencer-crm-sync';

export interface SkillPlan {
  readonly file: string;
  readonly action: 'add' | 'update' | 'remove' | 'same';
  /** @returns the copy of a file that was different */
  readonly apply: () => Promise<string | null>;
}

/**
 * Plans the copies of the skill: for all agents that read `.agents/skills`, and for Claude Code, which reads `.claude/skills`.
 *
 * @param root the home of the user, or the folder of a project
 * @param source the file in this package; null removes the copies
 */
export function planSkill(root: string, source: URL | null, hasClaudeCode: boolean): SkillPlan[] {
  const text = source === null ? null : readFileSync(source, 'utf8');
  return ['.agents', ...(hasClaudeCode ? ['.claude'] : [])].map((folder) => {
    const file = join(root, folder, 'skills', SKILL_NAME, 'SKILL.md');
    const before = readConfigText(file);
    if (before === text) return { file, action: 'same', apply: async () => null };
    if (text === null) return { file, action: 'remove', apply: () => removeCopy(file) };
    return { file, action: before === null ? 'add' : 'update', apply: () => replaceConfigText(file, before, text) };
  });
}

async function removeCopy(file: string): Promise<null> {
  await guardWrite(file, () => rm(file));
  // The folder stays if somebody put other files into it.
  await rmdir(dirname(file)).catch(() => {});
  return null;
}

const WORDS = {
  add: 'Skill: copy to',
  update: 'Skill: replace',
  remove: 'Skill: remove',
  same: 'Skill: nothing to do for',
} as const;

export function renderSkill(plans: readonly SkillPlan[]): string {
  return plans.map(({ file, action }) => `${WORDS[action]} ${file}\n`).join('');
}
