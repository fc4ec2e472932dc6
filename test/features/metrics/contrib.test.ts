import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { metricsSetting } from './metrics-setting.ts';

const contrib = join(import.meta.dirname, '../../../contrib');
const read = (file: string): string => readFileSync(join(contrib, file), 'utf8');

/** The source that the reader of the dashboard chooses. */
const chosen = ['$', '{datasource}'].join('');

const targetSchema = z.object({ expr: z.string(), datasource: z.object({ uid: z.literal(chosen) }) });
const placeSchema = z.object({ x: z.number(), y: z.number(), w: z.number().min(1), h: z.number().min(1) });
const panelSchema = z.object({
  id: z.number(),
  type: z.enum(['row', 'stat', 'timeseries']),
  title: z.string().min(1),
  gridPos: placeSchema,
  targets: z.array(targetSchema).default([]),
});
const dashboardSchema = z.object({
  schemaVersion: z.number().min(36),
  uid: z.string(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(panelSchema),
});

const dashboard = dashboardSchema.parse(JSON.parse(read('grafana-dashboard.json')));
const ofDashboard = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ where: title, expr })),
);
const ofAlerts = Array.from(
  read('prometheus-alerts.yml').matchAll(/alert: (\w+)\n\s+expr: (.+)/g),
  ([, where, expr]) => ({
    where: String(where),
    expr: String(expr),
  }),
);

/** Labels that Prometheus itself adds, and that histograms have. */
const added: readonly string[] = ['job', 'instance', 'le'];

/** The names of metrics in PromQL, each with the labels that are asked of it. */
function namesIn(expr: string): readonly (readonly [name: string, labels: readonly string[]])[] {
  const by = Array.from(expr.matchAll(/\bby \(([^)]*)\)/g), ([, list = '']) => list.split(',')).flat();
  return Array.from(
    expr.matchAll(/\b((?:keyturn|process|nodejs)_\w+)(?:\{([^}]*)\})?/g),
    ([, name = '', given = '']) => {
      const matched = Array.from(given.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g), ([, label]) => String(label));
      return [
        name,
        [...matched, ...by.map((label) => label.trim())].filter((label) => !added.includes(label)),
      ] as const;
    },
  );
}

/** The labels of each metric, as a daemon has them after a conversation of all kinds. */
async function labelsOfAll(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const it = await metricsSetting({}, { tools: [new RecordingTool('deploy', 'shell').registration] });
  const { model, channel } = it.daemon;
  model.next([call('deploy', { what: 'shop' })], 'That is done.');
  await channel.press(await channel.cardFor('deploy it'));
  await channel.sees('That is done.');
  await it.becomes('keyturn_runs_total{outcome="answered"}', 1);
  const { body } = await it.ask();
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', type] of body.matchAll(/^# TYPE (\S+) (\w+)$/gm))
    for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) labels.set(name + end, new Set());
  for (const [, name = '', pairs = ''] of body.matchAll(/^(\w+)\{(.*)\} \S+$/gm))
    for (const [, label = ''] of pairs.matchAll(/(\w+)="/g)) labels.get(name)?.add(label);
  return labels;
}

/** What no conversation here brings about: nobody is let in. */
const without: readonly string[] = ['keyturn_rights_changes_total'];

describe('what is shown and watched', () => {
  test('is there, with the labels that are asked for', async () => {
    const known = await labelsOfAll();
    expect(ofDashboard.length).toBeGreaterThan(40);
    expect(ofAlerts.length).toBeGreaterThan(8);
    const wrong = [...ofDashboard, ...ofAlerts].flatMap(({ where, expr }) => {
      const names = namesIn(expr);
      const lacking = names.flatMap(([name, labels]) => {
        const has = known.get(name);
        if (has === undefined) return [name];
        return without.includes(name)
          ? []
          : labels.filter((label) => !has.has(label)).map((label) => `${name}.${label}`);
      });
      return names.length === 0 && !/\bup\{/.test(expr)
        ? [`${where}: names nothing`]
        : lacking.map((one) => `${where}: ${one}`);
    });
    expect(wrong).toEqual([]);
  });

  test('is all that there is, but for what stands beside it', async () => {
    const shown = new Set(
      ofDashboard.flatMap(({ expr }) => namesIn(expr).map(([name]) => name.replace(/_bucket$/, ''))),
    );
    const all = [...(await labelsOfAll()).keys()].filter((name) => !/_(?:bucket|sum|count)$/.test(name));
    expect(all.filter((name) => !shown.has(name))).toEqual([]);
  });
});

test('docs/monitoring.md has them all, with their labels', async () => {
  const page = readFileSync(join(contrib, '../docs/monitoring.md'), 'utf8');
  const told = Array.from(page.matchAll(/^\| `(keyturn_\w+)` \| ([\w, ]*) ?\|/gm), ([, name = '', labels = '']) => {
    return [name, labels.trim().split(', ').filter(Boolean).toSorted().join()] as const;
  });
  const known = [...(await labelsOfAll())].filter(
    ([name]) => name.startsWith('keyturn_') && !/_(?:sum|count)$/.test(name),
  );
  const have = known.map(([name, labels]) => {
    const own = [...labels].filter((label) => label !== 'le').toSorted();
    return [name.replace(/_bucket$/, ''), name === 'keyturn_rights_changes_total' ? 'change' : own.join()] as const;
  });
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(have));
});

describe('the dashboard', () => {
  test('asks the source that its reader chooses', () => {
    expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource' }, { name: 'instance' }]);
  });

  test('has no panel upon another one, and no number twice', () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
