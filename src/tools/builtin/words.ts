import { catalogue } from '../../lib/words.ts';
import { formatSize } from '../text.ts';

/** What a call does, after "May I": with names and addresses as markdown. */
export const builtinWords = catalogue({
  en: {
    read: (name: string) => `read ${name}`,
    readPage: ({ address, page }: { readonly address: string; readonly page: number }) =>
      `read ${address}${page === 1 ? '' : `, page ${page}`}`,
    write: ({ name, bytes }: { readonly name: string; readonly bytes: number }) =>
      `write ${name} (${formatSize(bytes)})`,
    change: (name: string) => `change ${name}`,
    searchWeb: ({ engine, query }: { readonly engine: string; readonly query: string }) =>
      `search the web with ${engine} for ${query}`,
    send: ({
      method,
      address,
      bytes,
    }: {
      readonly method: string;
      readonly address: string;
      readonly bytes: number | undefined;
    }) => `send ${method} to ${address}${bytes === undefined ? '' : ` with a body of ${bytes} bytes`}`,
    showFile: (name: string) => `show ${name} in this chat`,
    echo: (message: string) => `echo ${message}`,
  },
  zh: {
    read: (name) => `读取 ${name}`,
    readPage: ({ address, page }) => `读取 ${address}${page === 1 ? '' : `，第 ${page} 页`}`,
    write: ({ name, bytes }) => `写入 ${name}（${bytes < 1024 ? `${bytes} 字节` : formatSize(bytes)}）`,
    change: (name) => `修改 ${name}`,
    searchWeb: ({ engine, query }) => `用 ${engine} 在网上搜索 ${query}`,
    send: ({ method, address, bytes }) =>
      `向 ${address} 发送 ${method} 请求${bytes === undefined ? '' : `，正文 ${bytes} 字节`}`,
    showFile: (name) => `在这个聊天中显示 ${name}`,
    echo: (message) => `回显 ${message}`,
  },
});
