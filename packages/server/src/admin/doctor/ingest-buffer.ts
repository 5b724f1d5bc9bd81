/** The doctor's checks of the ingest buffer. They work while the database is away. */
import { PARKED_QUEUE, QUEUE, readBrokerState } from '../../inbound/buffer/broker.ts';
import { type Check, fail, messageOf, pass, warn } from '@svc/operations/doctor/check';

/** A minute of posts at the rate that one process receives. */
const WAITING_WARN = 100_000;

/** Declares the queues that are missing. */
export async function checkIngestBuffer(url: string): Promise<Check[]> {
  const name = 'ingest buffer';
  try {
    const { product, waiting, parked, consumers } = await readBrokerState(url);
    const message = `${product} answers, ${QUEUE} is a quorum queue with ${waiting} posts`;
    return [describeQueue(), ...describeParked()];

    function describeQueue(): Check {
      if (consumers === 0) {
        return warn(
          name,
          `${message}, and no server stores them`,
          'Run svc-server start with the role worker and SVC_INGEST_AMQP_URL.',
        );
      }
      if (waiting >= WAITING_WARN) {
        return warn(name, message, 'Check the database, and the log of the servers with the role worker.');
      }
      return pass(name, message);
    }
    function describeParked(): Check[] {
      if (parked === 0) return [];
      const fix =
        'Read the log of the servers with the role worker, solve the cause or update, and restart one of them: every start tries them again.';
      return [warn('parked posts', `${parked} posts in ${PARKED_QUEUE} could not be stored`, fix)];
    }
  } catch (error) {
    const reason = messageOf(error);
    return [fail(name, reason, explain(reason))];
  }
}

function explain(reason: string): string {
  if (reason.includes('inequivalent arg')) {
    return `The queue of that name has another type or other arguments. Let its posts be stored, stop the servers, delete it (rabbitmqctl delete_queue), and start them: they declare it anew.`;
  }
  if (/ACCESS.REFUSED|access to|403/i.test(reason)) {
    return 'Check user, password and virtual host in SVC_INGEST_AMQP_URL, and that the user may configure, write and read queues named svc.ingest.*.';
  }
  return 'Check SVC_INGEST_AMQP_URL, and that RabbitMQ runs and is reached from here. Until then posts are stored directly.';
}
