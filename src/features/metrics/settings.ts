import { z } from 'zod';
import type { Finding } from '../../config/config-error.ts';
import { block, off, text, whole } from '../../config/setting-kinds.ts';
import { type Around, settingsPart } from '../../config/settings-part.ts';
import { schemaText } from '../../lib/schema-text.ts';
import { metricsSettingWords } from './settings/words.ts';

const wrongToken = schemaText((language) => metricsSettingWords[language].token);

/** Figures of what Keyturn does, for Prometheus. */
const metrics = block({
  enabled: off.describe('Whether Prometheus can fetch figures of what Keyturn does at http://HOST:PORT/metrics.'),
  host: text
    .default('127.0.0.1')
    .describe('The address where it listens. Any but one of this machine alone needs a token.'),
  port: whole(42_618, 0, 65_535).describe('The port. 0: any free one.'),
  token: z
    .optional(z.string().regex(/^[\x21-\x7e]{16,}$/, wrongToken))
    .describe('What Prometheus sends as "Authorization: Bearer TOKEN". Default: on this machine, none is needed.'),
});

/** The key `metrics`. */
export const metricsSettings = settingsPart({
  keys: () =>
    z.object({ metrics: metrics.describe('Figures of what Keyturn does, for Prometheus: docs/monitoring.md.') }),
  brings: ({ metrics: { enabled, host, port } }) => (enabled ? { ports: [{ key: 'metrics', host, port }] } : {}),
  faults: (settings, around) => metricsFaults(settings.metrics, around),
});

export type MetricsSettings = z.output<typeof metrics>;

function* metricsFaults({ enabled, host, port, token }: MetricsSettings, { brought }: Around): Generator<Finding> {
  if (!enabled) return;
  if (token === undefined && !isOfThisMachine(host))
    yield { path: ['metrics', 'host'], text: (language) => metricsSettingWords[language].needsToken({ host }) };
  const same = brought.listeners.find((listener) => port !== 0 && listener.port === port);
  if (same !== undefined)
    yield { path: ['metrics', 'port'], text: (language) => metricsSettingWords[language].samePort({ key: same.key }) };
}

/** Whether only programs of this machine reach what listens there. */
export function isOfThisMachine(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
