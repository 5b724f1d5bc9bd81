import type { Answer } from '../http/answer.ts';
import { Refusal } from './answer.ts';
import type { ObjectType } from './catalog.ts';

/** `/crm/pipelines/{objectType}`: two pipelines of deals, the first as in a fresh account, unless others are given. */

interface Stage {
  id: string;
  label: string;
  isClosed?: true;
}

export interface SimulatedPipeline {
  id: string;
  label: string;
  stages: readonly Stage[];
}

export const PIPELINES: readonly SimulatedPipeline[] = [
  {
    id: 'default',
    label: 'Sales pipeline',
    stages: [
      { id: 'appointmentscheduled', label: 'Appointment scheduled' },
      { id: 'qualifiedtobuy', label: 'Qualified to buy' },
      { id: 'closedwon', label: 'Closed won', isClosed: true },
      { id: 'closedlost', label: 'Closed lost', isClosed: true },
    ],
  },
  {
    id: '75001',
    label: 'Partners',
    stages: [
      { id: '75002', label: 'First talk' },
      { id: '75003', label: 'Signed', isClosed: true },
    ],
  },
];

export function isClosedStage(pipelines: readonly SimulatedPipeline[], id: string | undefined): boolean {
  return pipelines.some(({ stages }) => stages.some((stage) => stage.id === id && stage.isClosed));
}

export function listPipelines(pipelines: readonly SimulatedPipeline[], type: ObjectType): Answer {
  if (type !== 'deals') throw new Refusal(400, `${type} have no pipelines`);
  const at = '2026-01-01T00:00:00.000Z';
  const dates = { createdAt: at, updatedAt: at, archived: false };
  const results = pipelines.map(({ id, label, stages }, displayOrder) => ({
    ...{ id, label, displayOrder, ...dates },
    stages: stages.map((stage, order) => ({
      ...{ id: stage.id, label: stage.label, displayOrder: order, ...dates },
      metadata: { isClosed: String(stage.isClosed ?? false), probability: stage.isClosed ? '1.0' : '0.5' },
      writePermissions: 'CRM_PERMISSIONS_ENFORCEMENT',
    })),
  }));
  return { status: 200, body: { results } };
}
