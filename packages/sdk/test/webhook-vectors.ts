import { readFileSync } from 'node:fs';

/** A case of `fixtures/webhook-signature.json`. */
export interface WebhookVector {
  readonly name: string;
  readonly input: {
    readonly payloadBase64: string;
    readonly header: string | null;
    readonly secrets: readonly string[];
    readonly toleranceSeconds: number;
    readonly nowSeconds: number;
  };
  readonly expected: { readonly valid: true } | { readonly valid: false; readonly reason: string };
  /** `event`, or the reason why a body with a valid signature is refused. */
  readonly body?: string;
}

const file = new URL('../../../fixtures/webhook-signature.json', import.meta.url);

export const webhookVectors: readonly WebhookVector[] = JSON.parse(readFileSync(file, 'utf8')).cases;

export const bytesOf = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));

/** Returns a body as the service posts it. */
export function eventBody(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    id: 'osevt_1',
    type: 'sync.failed',
    created: '2026-01-31T10:30:00.000Z',
    summary: 'Syncs to HUBSPOT are failing',
    data: {
      connectionId: 1,
      crm: 'HUBSPOT',
      sourceId: 11,
      sourcePlatform: 'smartlead',
      reason: '3 syncs in a row failed',
      remediation: 'Reconnect: https://app.example.com/connections/1',
    },
    ...changes,
  });
}
