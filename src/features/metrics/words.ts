import { catalogue } from '../../lib/words.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Why nobody can fetch the metrics: for the operator, as plain text. */
export const metricsWords = catalogue({
  en: {
    portTaken: ({ host, port }: Address) =>
      `Prometheus gets no metrics: another program listens at ${host}:${port}. Change metrics.port, or end that program.`,
    cannotListen: ({ host, port, why }: Address & { readonly why: string }) =>
      `Prometheus gets no metrics: ${host}:${port} cannot be opened (${why}). Change metrics.host or metrics.port.`,
  },
  zh: {
    portTaken: ({ host, port }) =>
      `Prometheus 取不到指标：另一个程序占用了 ${host}:${port}。改 metrics.port，或结束那个程序。`,
    cannotListen: ({ host, port, why }) =>
      `Prometheus 取不到指标：无法监听 ${host}:${port}（${why}）。改 metrics.host 或 metrics.port。`,
  },
});
