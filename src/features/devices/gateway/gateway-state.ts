import { deviceChannel } from '../../../conversation/access/access.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { wordsIn } from '../../../lib/words.ts';
import type { GatewayParts } from './connection.ts';
import type { Connections } from './connections.ts';

interface Counted extends GatewayParts {
  readonly connections: Connections;
}

/** What monitors ask for, in Prometheus' text format. */
export function metrics({ counters, connections, devices }: Counted): string {
  const paired = devices.all().filter(({ isBrowser }) => !isBrowser);
  const rows = [
    ['gateway_pairing_failures_total', 'counter', 'Wrong pairing codes.', counters.pairing_failures],
    ['gateway_refused_total', 'counter', 'Requests that were not let in.', counters.refused],
    ['gateway_connections_total', 'counter', 'WebSockets that were opened.', counters.connections],
    ['gateway_frames_in_total', 'counter', 'Frames that devices have sent.', counters.frames_in],
    ['gateway_sockets', 'gauge', 'WebSockets that are open.', connections.count()],
    ['gateway_devices', 'gauge', 'Devices that are paired.', paired.length],
    ['resident_bytes', 'gauge', 'Resident memory of the process.', process.memoryUsage.rss()],
  ] as const;
  return rows
    .map(
      ([name, type, help, value]) =>
        `# HELP keyturn_${name} ${help}\n# TYPE keyturn_${name} ${type}\nkeyturn_${name} ${value}\n`,
    )
    .join('');
}

/** How late a channel's heartbeat may be, in ms. */
const grace = 15_000;

interface Readiness {
  readonly isReady: boolean;
  readonly storage: string;
  readonly config: string;
  /** The state of each, by name. */
  readonly channels: Readonly<Record<string, string>>;
}

/**
 * Whether messages can come in and be stored, without details of the machine or of any conversation. Each channel is
 * `connected`, `connecting`, `failing`, `dead`, or `silent` if its heartbeat is overdue.
 */
export function readinessOf({ store, health, adapters, configState, clock }: FeatureCore): Readiness {
  const { trouble } = store.state;
  // A third-party channel that has not started yet has a state and no adapter.
  const names = new Set([...adapters.keys(), ...health.all().map(({ name }) => name)]);
  // Excludes the gateway itself.
  names.delete(deviceChannel);
  const now = clock.now();
  const channels = Object.fromEntries(
    [...names].map((name) => {
      const state = health.of(name);
      const status = state?.health.status ?? 'connecting';
      const heartbeat = adapters.get(name)?.capabilities.heartbeat ?? Number.POSITIVE_INFINITY;
      return [name, status === 'connected' && now > (state?.heardAt ?? now) + heartbeat + grace ? 'silent' : status];
    }),
  );
  const areConnected = Object.values(channels).every((status) => status === 'connected');
  return {
    isReady: trouble === undefined && areConnected,
    storage: wordsIn('en', trouble?.brief ?? 'ok'),
    config: configState.fault === undefined ? 'ok' : 'its file is faulty: the last one that worked holds',
    channels,
  };
}
