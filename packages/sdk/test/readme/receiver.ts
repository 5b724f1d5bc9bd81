declare function alert(title: string, remediation: string): Promise<void>;
declare function resolveAlert(sourceId: number): Promise<void>;

// Example of the README:
import { createWebhookReceiver } from '@svc/sdk/webhooks';

const receiver = createWebhookReceiver({
  secrets: [process.env.SVC_WEBHOOK_SECRET ?? ''],
  onEvent: async (event) => {
    switch (event.type) {
      case 'sync.failed':
        return alert(`${event.data.crm}: ${event.data.reason}`, event.data.remediation);
      case 'sync.recovered':
        return resolveAlert(event.data.sourceId);
      default: // test.ping, and types that are added in the future
    }
  },
  onError: console.error,
});
// End of the example.
export { receiver };
