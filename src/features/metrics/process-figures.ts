/*
 * Figures of the process, under the names that dashboards for Node expect. The library's own collection of them never stops
 * once it has begun; this ends with its registry.
 */

import { readdir, readFile } from 'node:fs/promises';
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';

/** Figures of the process, read anew for each request. */
export interface ProcessFigures {
  read(): Promise<void>;
  stop(): void;
}

/** How often the delay of the event loop is measured, in ms. */
const resolution = 20;

export function createProcessFigures(registry: Registry, now: () => number): ProcessFigures {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const context: ProcessContext = {
    gauges: gaugesIn(registry),
    cpu: cpuIn(registry),
    delay,
    now,
    used: { seconds: 0 },
  };
  return { read: () => read(context), stop: () => void delay.disable() };
}

interface ProcessContext {
  readonly gauges: ReadonlyMap<string, Gauge>;
  readonly cpu: Counter;
  readonly delay: ELDHistogram;
  readonly now: () => number;
  /** What the counter of processor time has. */
  readonly used: { seconds: number };
}

const described = [
  { name: 'process_resident_memory_bytes', help: 'Resident memory size in bytes.' },
  { name: 'process_start_time_seconds', help: 'Start time of the process since unix epoch in seconds.' },
  { name: 'process_open_fds', help: 'Number of open file descriptors.' },
  { name: 'process_max_fds', help: 'Maximum number of open file descriptors.' },
  { name: 'nodejs_heap_size_total_bytes', help: 'Process heap size from Node.js in bytes.' },
  { name: 'nodejs_heap_size_used_bytes', help: 'Process heap size used from Node.js in bytes.' },
  { name: 'nodejs_external_memory_bytes', help: 'Node.js external memory size in bytes.' },
  {
    name: 'nodejs_eventloop_lag_mean_seconds',
    help: 'The mean of the event loop delays since the last scrape.',
  },
  { name: 'nodejs_eventloop_lag_max_seconds', help: 'The longest event loop delay since the last scrape.' },
  { name: 'nodejs_eventloop_lag_p50_seconds', help: 'The 50th percentile of the event loop delays.' },
  { name: 'nodejs_eventloop_lag_p99_seconds', help: 'The 99th percentile of the event loop delays.' },
] as const;

type GaugeName = (typeof described)[number]['name'];

function gaugesIn(registry: Registry): ReadonlyMap<string, Gauge> {
  return new Map(described.map(({ name, help }) => [name, new Gauge({ name, help, registers: [registry] })]));
}

function cpuIn(registry: Registry): Counter {
  return new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers: [registry],
  });
}

async function read(context: ProcessContext): Promise<void> {
  const { cpu, used, now } = context;
  const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const seconds = (user + system) / 1_000_000;
  cpu.inc(Math.max(0, seconds - used.seconds));
  used.seconds = seconds;
  set(context, 'process_resident_memory_bytes', rss);
  set(context, 'process_start_time_seconds', now() / 1000 - process.uptime());
  set(context, 'nodejs_heap_size_total_bytes', heapTotal);
  set(context, 'nodejs_heap_size_used_bytes', heapUsed);
  set(context, 'nodejs_external_memory_bytes', external);
  readDelay(context);
  await readFiles(context);
}

function readDelay(context: ProcessContext): void {
  const { delay } = context;
  // Nothing was measured yet if it was read a moment ago: what it then says of itself is no figure.
  const of = (nanoseconds: number): number =>
    delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - resolution / 1000);
  set(context, 'nodejs_eventloop_lag_mean_seconds', of(delay.mean));
  set(context, 'nodejs_eventloop_lag_max_seconds', of(delay.max));
  set(context, 'nodejs_eventloop_lag_p50_seconds', of(delay.percentile(50)));
  set(context, 'nodejs_eventloop_lag_p99_seconds', of(delay.percentile(99)));
  delay.reset();
}

/** Only Linux tells. */
async function readFiles(context: ProcessContext): Promise<void> {
  const [open, limits] = await Promise.all([
    readdir('/proc/self/fd').catch(() => undefined),
    readFile('/proc/self/limits', 'utf8').catch(() => ''),
  ]);
  // One of them is the folder, which was open while it was read.
  if (open !== undefined) set(context, 'process_open_fds', open.length - 1);
  const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  if (most !== undefined) set(context, 'process_max_fds', Number(most));
}

function set({ gauges }: ProcessContext, name: GaugeName, value: number): void {
  gauges.get(name)?.set(value);
}
