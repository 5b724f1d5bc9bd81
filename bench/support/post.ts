import { type Agent, request } from 'node:http';

/** Posts JSON and reads the whole answer. @throws Error unless the post is acknowledged */
export function post(url: string, agent: Agent, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`a post was answered ${response.statusCode}`));
        });
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}
