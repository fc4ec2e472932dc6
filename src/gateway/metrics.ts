type Counter = 'pairing_failures' | 'refused' | 'connections' | 'frames_in';

const help = {
  pairing_failures: 'Wrong pairing codes.',
  refused: 'Requests that were not let in.',
  connections: 'WebSockets that were opened.',
  frames_in: 'Frames that devices have sent.',
} as const satisfies Record<Counter, string>;

/** What the door counts since it was opened. */
export class Metrics {
  readonly #counters: Record<Counter, number> = { pairing_failures: 0, refused: 0, connections: 0, frames_in: 0 };

  count(name: Counter): void {
    this.#counters[name] += 1;
  }

  /** As Prometheus reads it. `gauges`: what is so now, each with what it means. */
  render(gauges: readonly { readonly name: string; readonly help: string; readonly value: number }[]): string {
    const counters = Object.entries(this.#counters).flatMap(([name, value]) => {
      const full = `keyturn_gateway_${name}_total`;
      const words = name in help ? Reflect.get(help, name) : name;
      return [`# HELP ${full} ${String(words)}`, `# TYPE ${full} counter`, `${full} ${value}`];
    });
    const now = gauges.flatMap(({ name, help: words, value }) => {
      const full = `keyturn_${name}`;
      return [`# HELP ${full} ${words}`, `# TYPE ${full} gauge`, `${full} ${value}`];
    });
    return `${[...counters, ...now].join('\n')}\n`;
  }
}
