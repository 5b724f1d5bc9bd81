// Example of the README:
// app/contacts/[email]/route.ts
import { createClient } from '@svc/sdk';

export async function GET(_request: Request, { params }: { params: Promise<{ email: string }> }): Promise<Response> {
  const client = createClient(); // SVC_BASE_URL and SVC_API_KEY
  const { doNotContact } = await client.contacts.outreach({ email: (await params).email });
  return Response.json(doNotContact);
}
