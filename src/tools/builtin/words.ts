import { catalogue } from '../../lib/words.ts';
import { formatSize } from '../text.ts';

/** Undefined for the workspace itself. */
type Folder = string | undefined;

interface FoundFiles {
  readonly pattern: string;
  readonly folder: Folder;
}

interface SearchedFiles extends FoundFiles {
  /** Which names of files. */
  readonly files: string | undefined;
}

interface SentRequest {
  readonly method: string;
  readonly address: string;
  readonly bytes: number | undefined;
}

interface Answered {
  readonly method: string;
  readonly address: string;
  /** Of HTTP. */
  readonly status: number;
}

/** What is done to messages in the chat. */
interface ChangedMessages {
  /** Empty: none. */
  readonly emoji: string;
  /** Empty: nothing is edited. */
  readonly text: string;
}

/** A message to another conversation. */
interface SentMessage {
  readonly silent: boolean;
  readonly name: string | undefined;
  readonly id: string;
  readonly text: string;
}

/** The tools whose only setting is their switch, and what the documents of the config say of them. */
export const switchedBuiltins = {
  list_dir: 'Lists a folder in the workspace.',
  edit_file: 'Replaces text in a file of the workspace.',
  message: 'Writes to another conversation.',
  send_file: 'Shows a file of the workspace in the chat.',
  react: "Reacts to a person's message with an emoji, and edits the last answer.",
  list_tools: 'Describes the available tools to the model in detail.',
  find_tools: 'Finds tools that the model is told of in short or not at all, and describes them.',
  echo: 'Repeats its input, for testing.',
} as const satisfies Partial<Record<keyof (typeof builtinWords)['en']['names'], string>>;

/** What a call does, after "May I": with names, addresses and texts as markdown. */
export const builtinWords = catalogue({
  en: {
    /** The names of tools, on cards: all tools of this folder. */
    names: {
      read_file: 'Read file',
      read_document: 'Read document',
      list_dir: 'List directory',
      find_files: 'Find files',
      search_files: 'Search in files',
      write_file: 'Write file',
      edit_file: 'Edit file',
      web_fetch: 'Read web page',
      web_search: 'Web search',
      http_request: 'HTTP request',
      ask: 'Ask',
      echo: 'Echo',
      attempt_completion: 'Complete',
      list_tools: 'List tools',
      find_tools: 'Find tools',
      send_file: 'Send file',
      message: 'Message',
      react: 'React',
      shell: (name: string) => `Shell (${name})`,
    },
    read: (name: string) => `read ${name}`,
    readPage: ({ address, page }: { readonly address: string; readonly page: number }) =>
      `read ${address}${page === 1 ? '' : `, page ${page}`}`,
    list: (folder: Folder) => `list ${folder ?? 'the workspace'}`,
    findFiles: ({ pattern, folder }: FoundFiles) => `find ${pattern} in ${folder ?? 'the workspace'}`,
    searchFiles: ({ pattern, folder, files }: SearchedFiles) =>
      `search ${folder ?? 'the workspace'} for ${pattern}${files === undefined ? '' : ` in files like ${files}`}`,
    write: ({ name, bytes }: { readonly name: string; readonly bytes: number }) =>
      `write ${name} (${formatSize(bytes)})`,
    change: (name: string) => `change ${name}`,
    wrote: ({ name, bytes }: { readonly name: string; readonly bytes: number }) =>
      `wrote ${name} (${formatSize(bytes)})`,
    changed: ({ name, places }: { readonly name: string; readonly places: number }) =>
      `changed ${name}${places === 1 ? '' : ` in ${places} places`}`,
    ran: (command: string) => `ran ${command}`,
    sent: ({ method, address, status }: Answered) => `sent ${method} to ${address}, which answered ${status}`,
    searchWeb: ({ engine, query }: { readonly engine: string; readonly query: string }) =>
      `search the web with ${engine} for ${query}`,
    send: ({ method, address, bytes }: SentRequest) =>
      `send ${method} to ${address}${bytes === undefined ? '' : ` with a body of ${bytes} bytes`}`,
    sendBelow: ({ method, host }: { readonly method: string; readonly host: string }) =>
      `send this ${method} to ${host}`,
    message: ({ name, id, text, silent }: SentMessage) =>
      `write ${silent ? 'silently ' : ''}to ${name === undefined ? '' : `${name} `}(${id}): ${text}`,
    messageBelow: ({ name, id, silent }: Omit<SentMessage, 'text'>) =>
      `write this ${silent ? 'silently ' : ''}to ${name === undefined ? '' : `${name} `}(${id})`,
    writtenBy: (name: string) => `From ${name}, via Keyturn:`,
    react: ({ emoji, text }: ChangedMessages) =>
      [emoji && `react with ${emoji}`, text && `edit my last answer: ${text}`].filter(Boolean).join(', and '),
    editBelow: 'edit my last answer to this',
    showFile: (name: string) => `show ${name} in this chat`,
    ask: (question: string) => `ask: ${question}`,
    complete: (result: string) => `end the work with the result: ${result}`,
    echo: (message: string) => `echo ${message}`,
    lookUpTool: (name: string) => `look up the tool ${name}`,
    listTools: (category: string | undefined) =>
      category === undefined ? 'list the tools' : `list the tools of the category ${category}`,
    findTools: (query: string) => `look for tools: ${query}`,
  },
  zh: {
    names: {
      read_file: '读取文件',
      read_document: '读取文档',
      list_dir: '列出目录',
      find_files: '查找文件',
      search_files: '搜索文件内容',
      write_file: '写入文件',
      edit_file: '修改文件',
      web_fetch: '读取网页',
      web_search: '网上搜索',
      http_request: 'HTTP 请求',
      ask: '提问',
      echo: '回显',
      attempt_completion: '完成工作',
      list_tools: '列出工具',
      find_tools: '查找工具',
      send_file: '发送文件',
      message: '消息',
      react: '回应',
      shell: (name) => `Shell（${name}）`,
    },
    read: (name) => `读取 ${name}`,
    readPage: ({ address, page }) => `读取 ${address}${page === 1 ? '' : `，第 ${page} 页`}`,
    list: (folder) => `列出${chineseFolder(folder)}的内容`,
    findFiles: ({ pattern, folder }) => `在${chineseFolder(folder)}中查找 ${pattern}`,
    searchFiles: ({ pattern, folder, files }) =>
      `在${chineseFolder(folder)}中搜索 ${pattern}${files === undefined ? '' : `，限于名称符合 ${files} 的文件`}`,
    write: ({ name, bytes }) => `写入 ${name}（${chineseSize(bytes)}）`,
    change: (name) => `修改 ${name}`,
    wrote: ({ name, bytes }) => `已写入 ${name}（${chineseSize(bytes)}）`,
    changed: ({ name, places }) => `已修改 ${name}${places === 1 ? '' : `，共 ${places} 处`}`,
    ran: (command) => `已运行 ${command}`,
    sent: ({ method, address, status }) => `已向 ${address} 发送 ${method} 请求，响应 ${status}`,
    searchWeb: ({ engine, query }) => `用 ${engine} 在网上搜索 ${query}`,
    send: ({ method, address, bytes }) =>
      `向 ${address} 发送 ${method} 请求${bytes === undefined ? '' : `，正文 ${bytes} 字节`}`,
    sendBelow: ({ method, host }) => `向 ${host} 发送这个 ${method} 请求`,
    message: ({ name, id, text, silent }) =>
      `写给 ${name === undefined ? id : `${name}（${id}）`}${silent ? '（静音）' : ''}：${text}`,
    messageBelow: ({ name, id, silent }) =>
      `把下面的内容写给 ${name === undefined ? id : `${name}（${id}）`}${silent ? '（静音）' : ''}`,
    writtenBy: (name) => `${name} 通过 Keyturn 写道：`,
    react: ({ emoji, text }) =>
      [emoji && `用 ${emoji} 回应`, text && `把我的上一条回答改成：${text}`].filter(Boolean).join('，并'),
    editBelow: '把我的上一条回答改成下面的内容',
    showFile: (name) => `在这个聊天中显示 ${name}`,
    ask: (question) => `提问：${question}`,
    complete: (result) => `结束工作，结果：${result}`,
    echo: (message) => `回显 ${message}`,
    lookUpTool: (name) => `查看工具 ${name}`,
    listTools: (category) => (category === undefined ? '列出工具' : `列出 ${category} 类别的工具`),
    findTools: (query) => `查找工具：${query}`,
  },
});

function chineseSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} 字节` : formatSize(bytes);
}

function chineseFolder(folder: Folder): string {
  return folder === undefined ? '工作区' : ` ${folder} `;
}
