import { catalogue } from '../../words.ts';

/** `place`: the host or address that was asked. `code`: of OpenSSL or Node. */
interface Refused {
  readonly place: string;
  readonly code: string;
}

/** Why a secure connection was refused by us, and what to do: sentences for the operator. */
export const certificateFaultWords = catalogue({
  en: {
    unknownAuthority: ({ place, code }: Refused) =>
      `The certificate of ${place} comes from an authority that this machine does not know (${code}), such as a company's own. Put the certificate of that authority into a file, and name it in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.`,
    selfSigned: ({ place, code }: Refused) =>
      `${place} shows a certificate that nobody but itself has signed (${code}). If it is yours, name the certificate's file in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.`,
    expired: ({ place, code }: Refused) =>
      `The certificate of ${place} has expired (${code}). Its operator has to renew it; or set this machine's clock, if it is wrong.`,
    notYetValid: ({ place, code }: Refused) =>
      `The certificate of ${place} is not valid yet (${code}): set this machine's clock, if it is wrong.`,
    otherName: ({ place, code }: Refused) =>
      `The certificate of ${place} is for another name (${code}). Correct the address, or ask its operator for a certificate with this name.`,
    revoked: ({ place, code }: Refused) => `The certificate of ${place} was revoked (${code}). Ask its operator.`,
    notHttps: ({ place, code }: Refused) =>
      `What answers at ${place} does not speak https (${code}), so there is no certificate: it may be a server for http, or something between. Correct the address: its port, or http:// in place of https://.`,
    noCommonEncryption: ({ place, code }: Refused) =>
      `${place} and this machine found no kind of encryption that both know (${code}), so no certificate was checked. Its operator has to update it.`,
    unverifiable: ({ place, code }: Refused) =>
      `The certificate of ${place} cannot be verified (${code}). If a company's own authority has signed it, name that authority's certificate in network.ca_file of the config, or in NODE_EXTRA_CA_CERTS.`,
  },
  zh: {
    unknownAuthority: ({ place, code }) =>
      `${place} 的证书由这台机器不认识的机构签发（${code}），例如公司自己的机构。把该机构的证书存成文件，写进配置的 network.ca_file 或 NODE_EXTRA_CA_CERTS。`,
    selfSigned: ({ place, code }) =>
      `${place} 出示的证书是它自己签发的（${code}）。如果它是你的，把证书文件写进配置的 network.ca_file 或 NODE_EXTRA_CA_CERTS。`,
    expired: ({ place, code }) => `${place} 的证书已过期（${code}）。需要它的运营者更新；也可能是这台机器的时钟不准。`,
    notYetValid: ({ place, code }) => `${place} 的证书还未生效（${code}）。如果这台机器的时钟不准，把它调准。`,
    otherName: ({ place, code }) =>
      `${place} 的证书是为另一个名称签发的（${code}）。改正地址，或让它的运营者换成这个名称的证书。`,
    revoked: ({ place, code }) => `${place} 的证书已被吊销（${code}）。联系它的运营者。`,
    notHttps: ({ place, code }) =>
      `${place} 上应答的服务不使用 https（${code}），所以没有证书：可能是 http 服务，或中间有别的设备。改正地址：端口，或把 https:// 改成 http://。`,
    noCommonEncryption: ({ place, code }) =>
      `${place} 和这台机器没有共同支持的加密方式（${code}），所以没有检查证书。需要它的运营者升级。`,
    unverifiable: ({ place, code }) =>
      `${place} 的证书无法验证（${code}）。如果由公司自己的机构签发，把该机构的证书写进配置的 network.ca_file 或 NODE_EXTRA_CA_CERTS。`,
  },
});

/** What is wrong with a file of certificates, after a colon. */
export const certificateFileWords = catalogue({
  en: {
    onlyPrivateKey: 'it holds a private key and no certificate',
    noPem:
      'it holds no certificate in PEM form ("-----BEGIN CERTIFICATE-----"). A DER file becomes one with: openssl x509 -inform der -in FILE -out FILE.pem',
    damaged: ({ number, count }: { readonly number: number; readonly count: number }) =>
      `certificate ${number} of ${count} in it is damaged`,
  },
  zh: {
    onlyPrivateKey: '其中只有私钥，没有证书',
    noPem:
      '其中没有 PEM 格式的证书（"-----BEGIN CERTIFICATE-----"）。DER 文件可以这样转换：openssl x509 -inform der -in FILE -out FILE.pem',
    damaged: ({ number, count }) => `其中共 ${count} 个证书，第 ${number} 个已损坏`,
  },
});
