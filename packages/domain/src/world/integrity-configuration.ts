import type { CheckedWorld, Report, WorldIndex } from './integrity-index.ts';
import { checkReferences } from './integrity-references.ts';

/** Checks keys, connections, sources, destinations, relays and block lists. */
export function checkConfiguration(world: CheckedWorld, index: WorldIndex, report: Report): void {
  world.apiKeys.forEach((row, at) => {
    checkReferences('apiKeys', at, row, index, report);
    if (row.connectionScope === 'connection' && row.connectionId === null) {
      report('apiKeys', at, 'connectionId', 'a key with connectionScope connection must name its connection');
    }
    if (row.connectionScope === 'account' && row.connectionId !== null) {
      report('apiKeys', at, 'connectionId', 'must be null on a key with connectionScope account');
    }
  });

  world.connections.forEach((row, at) =>
    checkReferences('connections', at, { accountId: row.accountId }, index, report),
  );
  world.sources.forEach((row, at) => checkReferences('sources', at, { connectionId: row.connectionId }, index, report));

  world.destinations.forEach((row, at) => {
    checkReferences('destinations', at, { connectionId: row.connectionId }, index, report);
    const bound = new Set<number>();
    row.bindings.forEach(({ sourceId }, bindingAt) => {
      const field = `bindings[${bindingAt}].sourceId`;
      checkReferences('destinations', at, { connectionId: row.connectionId, sourceId }, index, report, field);
      if (bound.has(sourceId)) {
        report('destinations', at, field, `source ${sourceId} is bound to this destination already`);
      }
      bound.add(sourceId);
    });
  });

  const relayOf = new Map<number, number>();
  world.replyRelays.forEach((row, at) => {
    checkReferences('replyRelays', at, { connectionId: row.connectionId }, index, report);
    row.sourceIds.forEach((sourceId, sourceAt) => {
      const field = `sourceIds[${sourceAt}]`;
      checkReferences('replyRelays', at, { connectionId: row.connectionId, sourceId }, index, report, field);
      const other = relayOf.get(sourceId);
      if (other !== undefined) {
        report('replyRelays', at, field, `source ${sourceId} has relay ${other} already`);
      }
      relayOf.set(sourceId, row.id);
    });
  });

  world.blocklists.forEach((row, at) =>
    checkReferences('blocklists', at, { connectionId: row.connectionId }, index, report),
  );
}
