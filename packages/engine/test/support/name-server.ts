/** A DNS server on loopback with configurable answers. */
import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

export interface NameServer {
  /** For example `127.0.0.1:54321`. */
  readonly address: string;
  /** Questions received, such as `A hooks.example.com`. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };
const NO_SUCH_NAME = 3;

/** @param names addresses by name; questions for `silent` names get no answer. Unknown names do not exist. */
export async function startNameServer(
  names: Readonly<Record<string, 'silent' | readonly string[]>>,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const questions: string[] = [];
  socket.on('message', (question: Buffer, from: RemoteInfo) => {
    const { name, type, end } = readQuestion(question);
    questions.push(`${TYPES[type]} ${name}`);
    const known = names[name];
    if (known === 'silent') return;
    const wanted = (known ?? []).filter((address) => address.includes(':') === (TYPES[type] === 'AAAA'));
    const answers = wanted.map((address) => toAnswer(type, address));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (known === undefined ? NO_SUCH_NAME : 0), 2);
    // Counts of questions, answers, authority and additional records.
    for (const [index, count] of [1, answers.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
    socket.send(Buffer.concat([head, question.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const length = message.readUInt8(at);
    at += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length));
    at += length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at), end: at + 4 };
}

/** The name of a record is a pointer to the question's name. */
function toAnswer(type: number, address: string): Buffer {
  const data = address.includes(':') ? toIpv6(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  for (const [offset, value] of [
    [0, 0xc00c],
    [2, type],
    [4, 1],
    [10, data.length],
  ] as const)
    head.writeUInt16BE(value, offset);
  return Buffer.concat([head, data]);
}

/** @param address in full, with eight groups */
function toIpv6(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  for (const [index, group] of address.split(':').entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), 2 * index);
  return bytes;
}
