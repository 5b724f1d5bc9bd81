declare function alert(title: string, remediation: string): Promise<void>;
declare function resolveAlert(sourceId: number): Promise<void>;

// The README's example.
import { createWebhookReceiver } from '@svc/sdk/webhooks';

const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: async (event) => {
    switch (event.type) {
      case 'sync.failed':
        return alert(`${event.data.crm}: ${event.data.reason}`, event.data.remediation);
      case 'sync.recovered':
        return resolveAlert(event.data.sourceId);
      default: // test.ping, and types that are added later
    }
  },
  onError: console.error,
});
// Its end.
export { receiver };
