/**
 * Answers posts as the incoming webhooks of Slack, Teams and Discord do, by the host of the URL. Sources, read in November 2026:
 *
 * - Slack: api.slack.com/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks, docs.slack.dev (block kit: limits).
 * - Teams: learn.microsoft.com, "Create incoming webhooks with Workflows". A workflow accepts with 202.
 * - Discord: discord.com/developers/docs/resources/webhook (204 without `wait`).
 *
 * Nobody has compared these answers with the live services.
 */
import type { ReceivedPost, ReceiverAnswer } from './receiver.ts';

type Json = Partial<Record<string, unknown>>;

export function answerAsChat(post: ReceivedPost): ReceiverAnswer {
  const body = toJson(post.body);
  if (post.host === 'hooks.slack.com') return answerAsSlack(body);
  if (post.host === 'discord.com') return answerAsDiscord(body);
  return post.host.endsWith('.logic.azure.com') ? answerAsTeams(post, body) : 200;
}

function answerAsSlack({ text, blocks }: Json): ReceiverAnswer {
  if (typeof text !== 'string' || text === '') return { status: 400, body: 'no_text' };
  const isValid = listOf(blocks).every((block) => {
    const inner = toObject(block['text'])['text'];
    const length = typeof inner === 'string' ? inner.length : 0;
    return length > 0 && length <= (block['type'] === 'header' ? 150 : 3_000);
  });
  return isValid ? { status: 200, body: 'ok' } : { status: 400, body: 'invalid_blocks' };
}

const TEAMS_BYTES_MAX = 28 * 1024;

function answerAsTeams({ bytes }: ReceivedPost, { type, attachments }: Json): ReceiverAnswer {
  if (bytes.length > TEAMS_BYTES_MAX) return 413;
  const cards = listOf(attachments).filter(
    ({ contentType, content }) =>
      contentType === 'application/vnd.microsoft.card.adaptive' && toObject(content)['type'] === 'AdaptiveCard',
  );
  return type === 'message' && cards.length === 1 ? 202 : 400;
}

function answerAsDiscord({ content, embeds }: Json): ReceiverAnswer {
  const lengths = listOf(embeds).map(({ title, description }) => [String(title).length, String(description).length]);
  const isValid =
    (typeof content === 'string' || lengths.length > 0) &&
    lengths.every(([title = 0, description = 0]) => title <= 256 && description <= 4_096);
  return isValid ? 204 : { status: 400, body: JSON.stringify({ code: 50_035, message: 'Invalid Form Body' }) };
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(toObject) : [];
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toJson(text: string): Json {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return {};
  }
}
