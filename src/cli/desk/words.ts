import { catalogue } from '../../lib/words.ts';

/** What is said at the desk of the config, besides what the commands say. */
export const deskWords = catalogue({
  en: {
    misplacedMark: `this stands for a secret that stood elsewhere, or is no longer there. Put it back to its place, or write "\${NAME}" and set NAME in .env.`,
    lacksSecrets: ({ keys }: { readonly keys: readonly string[] }) =>
      `This version lacks ${keys.join(', ')}: versions keep no secrets, and the file has others by now. Nothing was changed.`,
    badName: ({ name }: { readonly name: string }) =>
      `"${name}" cannot be the name of a secret: write letters, digits and _, and no name that the system itself reads.`,
    badValue: 'Type a value of at most 16,384 characters.',
    badLines: 'Type the secret on one line. Only a key that begins with "-----BEGIN" may have more.',
    envChanged: ({ file }: { readonly file: string }) =>
      `Somebody else has changed ${file} just now. Nothing was written: try again.`,
    notWritable: ({ file, code }: { readonly file: string; readonly code: string }) =>
      `${file} cannot be read or written (${code}). ${code === 'ENOSPC' ? 'The disk is full: make room.' : 'See who owns it, and whether this Keyturn may write there.'} Nothing was changed.`,
    noServerAddress: 'This is no address. Write it as http://192.168.1.20:11434/v1.',
    noName: 'Name the model.',
    noProvider: ({ known }: { readonly known: readonly string[] }) => `Choose a provider: ${known.join(', ')}.`,
  },
  zh: {
    misplacedMark: `这代表原来在别处的密钥，或者密钥已经不在了。把它放回原处，或者写 "\${NAME}" 并在 .env 中设置 NAME。`,
    lacksSecrets: ({ keys }) => `这个版本缺少 ${keys.join('、')}：版本不保存密钥，而文件里的密钥已经换了。没有改动。`,
    badName: ({ name }) => `“${name}”不能作为密钥的名称：只用字母、数字和 _，也不能是系统自己读取的名称。`,
    badValue: '请输入不超过 16,384 个字符的值。',
    badLines: '请把密钥写在一行里。只有以“-----BEGIN”开头的密钥可以有多行。',
    envChanged: ({ file }) => `刚才有别人改动了 ${file}。没有写入，请再试一次。`,
    notWritable: ({ file, code }) =>
      `无法读取或写入 ${file}（${code}）。${code === 'ENOSPC' ? '磁盘已满：腾出空间。' : '查看它属于谁，以及 Keyturn 能不能写入那里。'}没有改动。`,
    noServerAddress: '这不是地址。请写成 http://192.168.1.20:11434/v1 的样子。',
    noName: '请写出模型的名称。',
    noProvider: ({ known }) => `请选择提供商：${known.join('、')}。`,
  },
});
