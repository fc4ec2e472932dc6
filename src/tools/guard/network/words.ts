import { catalogue } from '../../../lib/words.ts';

/** Faults of an entry of `tools.network.allow_private`. */
export const networkWords = catalogue({
  en: {
    noPort: ({ port }: { readonly port: string }) => `"${port}" is no port: use 1 to 65535`,
    starOpensTooMuch: 'a "*" opens too much: list each host, or a block such as "192.168.1.0/24"',
    noHost: 'expected a host, address or block, such as "nas.local", "192.168.1.7:8080" or "10.0.0.0/8"',
    writeAddress: ({ address }: { readonly address: string }) => `write the address as "${address}"`,
  },
  zh: {
    noPort: ({ port }) => `"${port}" 不是端口：用 1 到 65535`,
    starOpensTooMuch: '"*" 放开的范围太大：逐个列出主机，或写一个网段，例如 "192.168.1.0/24"',
    noHost: '应为主机、地址或网段，例如 "nas.local"、"192.168.1.7:8080" 或 "10.0.0.0/8"',
    writeAddress: ({ address }) => `地址应写成 "${address}"`,
  },
});
