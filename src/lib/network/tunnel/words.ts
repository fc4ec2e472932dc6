import { catalogue } from '../../words.ts';

/** `proxy`: its address, without credentials. `source`: where it is set. */
interface Proxy {
  readonly proxy: string;
}

interface SetProxy extends Proxy {
  readonly source: string;
}

interface Broken extends Proxy {
  /** A code of the system. */
  readonly code: string;
}

/** `place`: the target. `mark`: the status, or what the proxy said by SOCKS. */
interface Barred extends Proxy {
  readonly place: string;
  readonly mark: string;
}

interface SocksBarred extends Proxy {
  readonly place: string;
  readonly code: number;
}

/** How a proxy failed us: sentences for the operator. */
export const tunnelWords = catalogue({
  en: {
    silent: ({ proxy }: Proxy) =>
      `The proxy ${proxy} did not answer in time. Check the network, and that the proxy runs.`,
    closed: ({ proxy, code }: Proxy & { readonly code: string | undefined }) =>
      `The proxy ${proxy} closed the connection (${code ?? 'too early'}). Check the network, and that the proxy runs.`,
    unreached: ({ proxy }: Proxy) =>
      `The proxy ${proxy} cannot be reached. Check the network, and that the proxy runs.`,
    unreachable: ({ proxy, code }: Broken) =>
      `The proxy ${proxy} cannot be reached (${code}). Check the network, and that the proxy runs.`,
    unusable: ({ why }: { readonly why: string }) => `The proxy cannot be used. ${why}`,
    takesNothing: ({ proxy, source }: SetProxy) =>
      `The proxy ${proxy} takes no connections. Start it, or correct ${source}.`,
    notFound: ({ proxy, source }: SetProxy) => `The proxy ${proxy} cannot be found. Check its name in ${source}.`,
    noHttpProxy: ({ proxy, source }: SetProxy) =>
      `The proxy ${proxy} does not answer as an HTTP proxy. Check ${source}.`,
    noSocksProxy: ({ proxy, source }: SetProxy) =>
      `The proxy ${proxy} does not answer as a SOCKS 5 proxy. Check ${source}.`,
    doesNotReach: ({ proxy, place, mark }: Barred) =>
      `The proxy ${proxy} does not reach ${place} (${mark}). Ask the one who runs the proxy, or try again later.`,
    doesNotReachBySocks: ({ proxy, place, code }: SocksBarred) =>
      `The proxy ${proxy} does not reach ${place} (SOCKS, ${englishSocks[code] ?? `error ${code}`}). Ask the one who runs the proxy, or try again later.`,
    doesNotLetUs: ({ proxy, place, mark }: Barred) =>
      `The proxy ${proxy} does not let us reach ${place} (${mark}). Have it allowed there; if the host is reached without the proxy, add it to NO_PROXY.`,
    doesNotLetUsBySocks: ({ proxy, place }: Omit<Barred, 'mark'>) =>
      `The proxy ${proxy} does not let us reach ${place} (SOCKS, not allowed). Have it allowed there; if the host is reached without the proxy, add it to NO_PROXY.`,
    wantsPassword: ({ proxy, source, mark, example }: SetProxy & { readonly mark: string; readonly example: string }) =>
      `The proxy ${proxy} wants a name and a password (${mark}). Write them into ${source}: "${example}".`,
    wrongPassword: ({ proxy, source, mark }: SetProxy & { readonly mark: string }) =>
      `The proxy ${proxy} does not accept the name and password of ${source} (${mark}). Correct them there.`,
    longPassword: ({ proxy, source }: SetProxy) =>
      `The proxy ${proxy} takes no name or password of more than 255 bytes. Correct ${source}.`,
    longName: ({ proxy }: Proxy) => `The proxy ${proxy} takes no name of more than 255 bytes. Check the address.`,
  },
  zh: {
    silent: ({ proxy }) => `代理 ${proxy} 没有及时应答。检查网络，以及代理是否在运行。`,
    closed: ({ proxy, code }) =>
      `代理 ${proxy} ${code === undefined ? '过早关闭了连接' : `关闭了连接（${code}）`}。检查网络，以及代理是否在运行。`,
    unreached: ({ proxy }) => `连不上代理 ${proxy}。检查网络，以及代理是否在运行。`,
    unreachable: ({ proxy, code }) => `连不上代理 ${proxy}（${code}）。检查网络，以及代理是否在运行。`,
    unusable: ({ why }) => `代理无法使用。${why}`,
    takesNothing: ({ proxy, source }) => `代理 ${proxy} 不接受连接。启动它，或改正 ${source}。`,
    notFound: ({ proxy, source }) => `找不到代理 ${proxy}。检查 ${source} 中的名称。`,
    noHttpProxy: ({ proxy, source }) => `代理 ${proxy} 的应答不是 HTTP 代理的应答。检查 ${source}。`,
    noSocksProxy: ({ proxy, source }) => `代理 ${proxy} 的应答不是 SOCKS 5 代理的应答。检查 ${source}。`,
    doesNotReach: ({ proxy, place, mark }) =>
      `代理 ${proxy} 连不上 ${place}（${mark}）。询问代理的管理者，或稍后再试。`,
    doesNotReachBySocks: ({ proxy, place, code }) =>
      `代理 ${proxy} 连不上 ${place}（SOCKS，${chineseSocks[code] ?? `错误 ${code}`}）。询问代理的管理者，或稍后再试。`,
    doesNotLetUs: ({ proxy, place, mark }) =>
      `代理 ${proxy} 不让我们访问 ${place}（${mark}）。让代理放行；如果不经代理也能访问这个主机，把它加到 NO_PROXY。`,
    doesNotLetUsBySocks: ({ proxy, place }) =>
      `代理 ${proxy} 不让我们访问 ${place}（SOCKS，不允许）。让代理放行；如果不经代理也能访问这个主机，把它加到 NO_PROXY。`,
    wantsPassword: ({ proxy, source, mark, example }) =>
      `代理 ${proxy} 需要用户名和密码（${mark}）。写进 ${source}："${example}"。`,
    wrongPassword: ({ proxy, source, mark }) =>
      `代理 ${proxy} 不接受 ${source} 中的用户名和密码（${mark}）。在那里改正。`,
    longPassword: ({ proxy, source }) => `代理 ${proxy} 不接受超过 255 字节的用户名或密码。改正 ${source}。`,
    longName: ({ proxy }) => `代理 ${proxy} 不接受超过 255 字节的名称。检查地址。`,
  },
});

const englishSocks: Readonly<Record<number, string>> = {
  1: 'general failure',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'timed out',
  7: 'no such command',
  8: 'no such kind of address',
};

const chineseSocks: Readonly<Record<number, string>> = {
  1: '一般故障',
  3: '网络不可达',
  4: '主机不可达',
  5: '连接被拒绝',
  6: '超时',
  7: '没有这个命令',
  8: '没有这种地址',
};
