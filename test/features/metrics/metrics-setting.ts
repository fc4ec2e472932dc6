import { request } from 'node:http';
import { silentLog } from '../../../src/lib/log.ts';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import { waitUntil } from '../../support/wait-for.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A daemon with metrics, and who fetches them. */
export class MetricsSetting {
  readonly daemon: DaemonSetting;
  readonly #addresses: readonly string[];

  constructor(daemon: DaemonSetting, addresses: readonly string[]) {
    this.daemon = daemon;
    this.#addresses = addresses;
  }

  /** Where they were last said to be. */
  get address(): string {
    const address = this.#addresses.at(-1);
    if (address === undefined) throw new Error('nobody said where the metrics are');
    return address;
  }

  /** How often the port was opened. */
  get openings(): number {
    return this.#addresses.length;
  }

  /** Asks as a program does that sends any header that it likes. */
  ask(headers: Readonly<Record<string, string>> = {}, path = '/metrics', method = 'GET'): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(this.address);
      const asked = request({ hostname, port, path, method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
        });
      });
      asked.once('error', reject);
      asked.end();
    });
  }

  /** Each series and its value. */
  async scrape(headers: Readonly<Record<string, string>> = {}): Promise<ReadonlyMap<string, number>> {
    const { body } = await this.ask(headers);
    return seriesIn(body);
  }

  /** Resolves with the value of a series once it is that. */
  async becomes(series: string, value: number): Promise<void> {
    await waitUntil(async () => (await this.scrape()).get(series) === value || undefined, {
      what: `${series} ${value}`,
    });
  }
}

/** The series of a text for Prometheus, as `name{label="value"}`. */
function seriesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

export async function metricsSetting(
  metrics: Readonly<Record<string, unknown>> = {},
  { config = {}, ...options }: DaemonSettingOptions = {},
): Promise<MetricsSetting> {
  const addresses: string[] = [];
  const log = {
    ...silentLog,
    info: (fields: object, words: string) => {
      const { address }: { address?: unknown } = fields;
      if (words === 'metrics can be fetched') addresses.push(String(address));
    },
  };
  const daemon = await daemonSetting({
    log,
    ...options,
    config: { metrics: { enabled: true, port: 0, ...metrics }, ...config },
  });
  const setting = new MetricsSetting(daemon, addresses);
  await waitUntil(() => setting.openings > 0 || undefined, { what: 'an open port' });
  return setting;
}
