import { catalogue } from '../../../lib/words.ts';

/** What is wrong with the gateway in the config. */
export const gatewaySettingWords = catalogue({
  en: {
    host: 'expected a host such as "keyturn.example.com", without a port',
    origin: 'expected an origin such as "https://app.example.com"',
    unencrypted: ({ host }: { readonly host: string }) =>
      `gateway.host is "${host}": other machines connect without encryption, so the tokens of devices can be read on the way. Let it listen at 127.0.0.1, behind a reverse proxy with TLS.`,
  },
  zh: {
    host: '应为主机名，例如 "keyturn.example.com"，不带端口',
    origin: '应为来源，例如 "https://app.example.com"',
    unencrypted: ({ host }) =>
      `gateway.host 是 "${host}"：其他机器连接时没有加密，途中可能有人读到设备的令牌。让它监听 127.0.0.1，放在带 TLS 的反向代理后面。`,
  },
});
