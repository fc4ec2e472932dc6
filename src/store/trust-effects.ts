import type { Origin } from '../approval/approval.ts';
import type { TrustChange } from '../conversation/trust-store.ts';
import type { AuditKind } from './tables/audit.ts';
import type { Tables } from './tables/tables.ts';

interface TrustCommand {
  readonly ids: readonly string[];
  readonly origin: Origin;
  readonly at: number;
}

/** Trusts the states that owners are asked for under these ids; ids of anything else are passed over. Belongs inside a write. */
export function trust(tables: Tables, { ids, origin, at }: TrustCommand): readonly TrustChange[] {
  return ids.flatMap((id): TrustChange[] => {
    const found = tables.trusted.ofId(id);
    if (found?.asked?.id !== id) return [];
    const { fingerprint, what } = found.asked;
    const subject = { kind: found.kind, name: found.name, fingerprint, what };
    tables.trusted.unask(subject);
    tables.trusted.trust(subject, { id, by: origin.principal, at });
    return [noted(tables, { subject, id, became: 'trusted' }, origin, at)];
  });
}

/**
 * The states with these ids are trusted no more, or refused. Such a state can be trusted again under its id, unless the
 * owners are asked for a newer one. Belongs inside a write.
 */
export function distrust(tables: Tables, { ids, origin, at }: TrustCommand): readonly TrustChange[] {
  const { trusted: table } = tables;
  return ids.flatMap((id): TrustChange[] => {
    const found = table.ofId(id);
    if (found === undefined) return [];
    const { kind, name, trusted, asked } = found;
    if (asked?.id === id) {
      table.refuse(found);
      const subject = { kind, name, fingerprint: asked.fingerprint, what: asked.what };
      return [noted(tables, { subject, id, became: 'refused' }, origin, at)];
    }
    if (trusted === undefined) return [];
    const subject = { kind, name, fingerprint: trusted.fingerprint, what: trusted.what };
    table.untrust(found);
    if (asked === undefined) {
      table.ask(subject, id, at);
      table.refuse(found);
    }
    return [noted(tables, { subject, id, became: 'distrusted' }, origin, at)];
  });
}

function noted(tables: Tables, change: TrustChange, { conversationId, principal }: Origin, at: number): TrustChange {
  const kind: AuditKind = change.became === 'trusted' ? 'trust-given' : 'trust-ended';
  const { kind: what, name, fingerprint } = change.subject;
  tables.audit.add({ at, kind, conversationId, actor: principal, detail: { kind: what, name, fingerprint } });
  return change;
}
