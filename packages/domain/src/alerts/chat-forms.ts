/**
 * The bodies that Slack, Teams and Discord take, with the limits that they document (read in November 2026):
 *
 * - Slack, incoming webhooks: a header has at most 150 characters, the text of a section 3,000. `&`, `<` and `>` are escaped, or a
 *   name could mention a channel. `text` is what a notification shows.
 * - Teams, workflows ("When a Teams webhook request is received"): one adaptive card, at most 28 KB, whose text is Markdown.
 * - Discord: title 256 characters, description 4,096, 6,000 in all. `allowed_mentions` switches all mentions off.
 */
import type { Alert } from './alert.ts';

const SLACK = { header: 150, section: 3_000 } as const;
const DISCORD = { title: 256, description: 4_096 } as const;
/** Far below the 28 KB of a card, also when each character is escaped and has four bytes. */
const TEAMS = { title: 500, line: 1_000, lines: 5 } as const;

/** Returns the alert as an incoming webhook of Slack takes it. */
export function toSlackBody({ title, lines, link }: Alert): object {
  const linked = link === null ? '' : `\n<${link.url}|${escapeSlack(link.text)}>`;
  const text = cutEscaped(lines.join('\n'), SLACK.section - linked.length, escapeSlack);
  return {
    text: cutEscaped(title, SLACK.section, escapeSlack),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: cut(title, SLACK.header), emoji: false } },
      { type: 'section', text: { type: 'mrkdwn', text: `${text}${linked}` } },
    ],
  };
}

/** Returns the alert as a Teams workflow takes it. */
export function toTeamsBody({ title, lines, link }: Alert): object {
  const block = (text: string, more: object = {}) => ({ type: 'TextBlock', text, wrap: true, ...more });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block(escapeMarkdown(cut(title, TEAMS.title)), { weight: 'Bolder', size: 'Medium' }),
      ...lines.slice(0, TEAMS.lines).map((line) => block(escapeMarkdown(cut(line, TEAMS.line)))),
    ],
    ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: link.text, url: link.url }] }),
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

/** Red, green, grey. */
const COLORS = { opened: 0xd6_36_38, recovered: 0x2e_a0_43, test: 0x80_80_80 } as const;

/** Returns the alert as a webhook of Discord takes it. */
export function toDiscordBody({ kind, title, lines, link }: Alert): object {
  return {
    embeds: [
      {
        title: cutEscaped(title, DISCORD.title, escapeMarkdown),
        description: cutEscaped(lines.join('\n'), DISCORD.description, escapeMarkdown),
        color: COLORS[kind],
        ...(link === null ? {} : { url: link.url }),
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes what formats text, makes links or mentions. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|>#[\]()<@{}]/g, String.raw`\$&`);
}

/** Returns at most so many characters (UTF-16 units) without half a character at the end. */
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Returns escaped text of at most so many characters, without half an escape at the end. */
function cutEscaped(text: string, lengthMax: number, escape: (text: string) => string): string {
  let escaped = escape(text);
  for (let kept = lengthMax; escaped.length > lengthMax; kept -= escaped.length - lengthMax) {
    escaped = escape(cut(text, Math.max(1, kept)));
  }
  return escaped;
}
