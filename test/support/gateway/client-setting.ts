import { onTestFinished } from 'vitest';
import { type ConnectOptions, connect, type Json, type KeyturnClient } from '../../../packages/client/src/client.ts';
import type { DaemonSettingOptions } from '../daemon-setting.ts';
import { Changes } from '../wait-for.ts';
import { type GatewaySetting, gatewaySetting } from './gateway-setting.ts';

/** A client of the library, with what it was told. */
export class WatchedClient {
  readonly client: KeyturnClient;
  readonly frames: Json[] = [];
  readonly states: string[] = [];
  readonly changes = new Changes();

  constructor(options: ConnectOptions) {
    this.client = connect({
      backOff: { first: 20, longest: 100 },
      ...options,
      onFrame: (frame) => {
        options.onFrame?.(frame);
        this.frames.push(frame);
        this.changes.notify();
      },
      onState: (state) => {
        this.states.push(state);
        this.changes.notify();
      },
    });
    onTestFinished(() => this.client.close());
  }

  /** Resolves with the newest frame of the type, when there are so many. */
  async heard(type: string, times = 1): Promise<Json> {
    const all = (): readonly Json[] => this.frames.filter((frame) => frame.type === type);
    await this.changes.waitFor(() => all().length >= times, {
      what: `frame ${times} of ${type}`,
      describe: () => JSON.stringify(this.frames),
    });
    return all().at(-1) ?? {};
  }

  async is(state: string): Promise<void> {
    await this.changes.waitFor(() => this.client.state === state || this.states.at(-1) === state, {
      what: state,
      describe: () => this.states.join(),
    });
  }
}

/** A daemon that takes all that a test sends at once: its clock stands still. */
export async function remoteDaemon(options: DaemonSettingOptions = {}): Promise<GatewaySetting> {
  const most = { max_frames_per_sec: 10_000, max_connections_per_person: 1000, max_devices_per_person: 1000 };
  return gatewaySetting({ ...options, gateway: most });
}
