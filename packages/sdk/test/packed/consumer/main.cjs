// CommonJS in Node: address and key are arguments.
const { createClient, NotFoundError } = require('@svc/sdk');
const { createValidator } = require('@svc/sdk/validate');
const { createWebhookReceiver } = require('@svc/sdk/webhooks');

async function main() {
  const [baseUrl, apiKey] = process.argv.slice(2);
  const client = createClient({ baseUrl, apiKey, validate: createValidator('strict') });
  const { account } = await client.me.get();
  const missing = await client.syncs.get(99_999_999).catch((error) => error);
  const receiver = createWebhookReceiver({ secrets: ['oswhsec_x'], onEvent: () => {} });
  const { status } = await receiver.handle({ headers: {}, payload: '{}' });
  console.log(JSON.stringify({ account: account.id, missing: missing instanceof NotFoundError, refused: status }));
}
void main();
