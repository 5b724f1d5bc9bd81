import { randomUUID } from 'node:crypto';
import type { Answer } from '../http/answer.ts';

export interface ErrorExtras {
  category?: string;
  subCategory?: string;
  errors?: readonly unknown[];
  context?: Record<string, readonly string[]>;
}

/** A refusal with HubSpot's error body. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly extras: ErrorExtras;

  constructor(status: number, message: string, extras: ErrorExtras = {}) {
    super(message);
    this.status = status;
    this.extras = extras;
  }

  toAnswer(): Answer {
    const { category = 'VALIDATION_ERROR', ...rest } = this.extras;
    return {
      status: this.status,
      body: { status: 'error', message: this.message, correlationId: randomUUID(), category, ...rest },
    };
  }
}

/** One refused property, as listed inside the message. */
export interface PropertyProblem {
  name: string;
  error: string;
  message: string;
}

export function invalidProperties(problems: readonly PropertyProblem[]): Refusal {
  const details = problems.map(({ name, error, message }) => ({
    isValid: false,
    message,
    error,
    name,
    localizedErrorMessage: message,
  }));
  return new Refusal(400, `Property values were not valid: ${JSON.stringify(details)}`);
}

export type RateLimitPolicy = 'DAILY' | 'TEN_SECONDLY_ROLLING' | 'SECONDLY';

export function rateLimited(policyName: RateLimitPolicy, headers: Record<string, string> = {}): Answer {
  return {
    status: 429,
    headers,
    body: {
      status: 'error',
      message: `You have reached your ${policyName.toLowerCase()} limit.`,
      errorType: 'RATE_LIMIT',
      category: 'RATE_LIMITS',
      correlationId: randomUUID(),
      policyName,
    },
  };
}
