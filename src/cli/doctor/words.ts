import { ownCommand } from '../../lib/own-command.ts';
import { catalogue } from '../../lib/words.ts';

/** A problem for a person: what is wrong, why that matters, and what mends it. */
export interface ProblemWords {
  readonly what: string;
  readonly why: string;
  readonly mend: string;
}

/** A reason with the end of a sentence, which some have already. */
export function ended(why: string, end = '.'): string {
  return /[.!?。！？]$/.test(why) ? why : why + end;
}

export const doctorWords = catalogue({
  en: {
    ok: 'ok',
    fault: 'fault',
    doubt: 'doubt',
    notSeen: 'not looked at',
    allWell: 'Nothing is wrong.',
    found: ({ faults, doubts }: Found) =>
      [faults === 0 ? [] : `${faults} to mend`, doubts === 0 ? [] : `${doubts} to look at`].flat().join(', '),
    labels: { why: 'Why', mend: 'Mend' },
    noConnection: ({ code, host }: { readonly code: string; readonly host: string }) =>
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? `the name ${host} is not known here (${code})`
        : code === 'ECONNREFUSED'
          ? `nothing listens at ${host} (${code})`
          : code === 'TimeoutError'
            ? `${host} gave no answer in 5 s`
            : `${host} cannot be reached (${code})`,
    checkFails: {
      what: ({ name, why }: NamedFault) => `The check "${name}" could not be made: ${why}.`,
      why: () => 'What it looks at may be wrong.',
      mend: () => `Run "${ownCommand()} doctor" again; if this stays so, report it.`,
    },

    configOk: ({ path }: { readonly path: string }) => `${path} can be used`,
    configNone: 'no config file: default settings',
    configUnusable: {
      what: ({ count }: { readonly count: number }) => `The config has ${count === 1 ? 'a fault' : `${count} faults`}.`,
      why: () => 'Keyturn does not start with it, and nothing that it names was looked at here.',
      mend: () => `${ownCommand()} config check tells where and what to write.`,
    },

    filesPrivate: 'only you can read the secrets and the data',
    openFile: {
      what: ({ path, mode }: OpenPlace) => `Other users of this machine can read ${path} (mode ${mode}).`,
      why: () => 'It has tokens and keys, with which they could act as your bot.',
      mend: ({ path }: OpenPlace) => `chmod 600 ${path}`,
    },
    openFolder: {
      what: ({ path, mode }: OpenPlace) => `Other users of this machine can enter ${path} (mode ${mode}).`,
      why: () => 'The chats, files and memories are there.',
      mend: ({ path }: OpenPlace) => `chmod 700 ${path}`,
    },

    diskFree: ({ free }: { readonly free: string }) => `${free} free for the data`,
    diskLow: {
      what: ({ folder, free }: DiskPlace) => `The disk of ${folder} has only ${free} left.`,
      why: () => 'When it is full, nothing can be stored, and so nothing is answered.',
      mend: ({ folder }: DiskPlace) => `Make room: du -sh ${folder}/* shows what is large.`,
    },

    clockRight: 'this clock and that of the servers agree',
    clockOff: {
      what: ({ seconds, host }: ClockGap) =>
        `This clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${host}.`,
      why: () => 'Reminders come at the wrong time, and servers refuse certificates and signatures.',
      mend: () => 'timedatectl set-ntp true',
    },

    proxyReached: ({ proxies }: { readonly proxies: readonly string[] }) => `reached: ${proxies.join(', ')}`,
    proxyDown: {
      what: ({ proxy, code }: ProxyDown) => `The proxy ${proxy} cannot be reached (${code}).`,
      why: () => 'Everything that leaves this machine goes through it: models and channels do not work.',
      mend: ({ source }: ProxyDown) => `Start it, or correct ${source}.`,
    },

    certificatesValid: ({ count }: { readonly count: number }) => `${count} more than Node brings, all valid`,
    certificateOver: {
      what: ({ subject, day, isOver }: Certificate) =>
        `The certificate of "${subject}" that you trust ${isOver ? 'was valid until' : 'is valid only until'} ${day}.`,
      why: () => 'Servers that show a certificate of this authority are refused from then on.',
      mend: () =>
        'Put its new certificate into the file that network.ca_file, SSL_CERT_FILE or NODE_EXTRA_CA_CERTS names.',
    },

    sandboxHolds: 'commands run in a sandbox (bubblewrap)',
    sandboxOff: {
      what: () => 'tools.shell.sandbox is off.',
      why: () => 'A command can do all that the user of Keyturn can, also to files outside of the workspace.',
      mend: () => 'Remove "sandbox": "off" under tools.shell in the config.',
    },
    sandboxFails: {
      what: ({ reason }: NoSandbox) => `There is no sandbox here: ${reason}`,
      why: ({ isRequired }: NoSandbox): string =>
        isRequired
          ? 'The config demands one, so no command runs.'
          : 'Each command asks first, and can do all that the user of Keyturn can.',
      mend: ({ isMissing }: NoSandbox): string =>
        isMissing
          ? 'sudo apt install bubblewrap socat   (Debian, Ubuntu); docs/deploy.md tells more.'
          : `Do what is said behind the colon, then run ${ownCommand()} doctor again; docs/deploy.md tells more.`,
    },

    modelAnswers: ({ names }: { readonly names: readonly string[] }) => `reached: ${names.join(', ')}`,
    modelOffline: {
      what: () => 'Only the offline model is there, which knows patterns and is no AI.',
      why: () => 'It understands no more than its examples.',
      mend: () =>
        `${ownCommand()} setup finds one. Or put ANTHROPIC_API_KEY=… (or OPENAI_…, GEMINI_…) into .env beside the config, or name a server under models.`,
    },
    modelUnreached: {
      what: ({ name, why }: UnreachedModel) => `The model ${name} cannot be reached: ${ended(why)}`,
      why: () => 'Messages wait without an answer until it is back.',
      mend: ({ address, isHosted }: UnreachedModel) =>
        isHosted
          ? 'Look at the network and at network.proxy; some networks block it.'
          : `Start the server at ${address}, or correct base_url. curl ${address}/models shows whether it answers.`,
    },
    modelKeyRefused: {
      what: ({ name, status }: ModelPlace) => `The server of the model ${name} refuses the key (${status}).`,
      why: () => 'It answers nothing.',
      mend: () => 'Make a new key at the provider, and put it into .env; look for quotes and spaces around it.',
    },
    modelFault: {
      what: ({ name, status }: ModelPlace) => `The server of the model ${name} answers with a fault (${status}).`,
      why: () => 'Messages wait without an answer until it is mended.',
      mend: ({ address }: ModelPlace) =>
        `Try again in some minutes; the status page of the provider, or the log of ${address}, says more.`,
    },
    modelUnknown: {
      what: ({ name, model }: MissingModel) => `The server of ${name} has no model "${model}".`,
      why: () => 'It refuses each request.',
      mend: ({ model, listed }: MissingModel) =>
        `Load it (ollama pull ${model}), or name one that is there: ${listed.length === 0 ? 'there is none' : listed.join(', ')}.`,
    },

    noSuchModel: ({ name, names }: { readonly name: string; readonly names: readonly string[] }) =>
      `The config has no model "${name}". There are: ${names.join(', ')}.`,
    modelSilent: ({ model, problem }: { readonly model: string; readonly problem: string }) =>
      `${model} did not answer. ${problem}`,
    modelAnswered: ({ model, seconds }: { readonly model: string; readonly seconds: string }) =>
      `${model} answered in ${seconds} s.`,
    modelCalls: 'It calls tools.',
    modelTalks: ({ said }: { readonly said: string }) =>
      `It was asked to call a tool, and talked in place of that: "${said}". It cannot be trusted to use tools; try another model, or tool_calls "text" for it.`,

    notRunning: 'not running',
    running: ({ version, pid }: { readonly version: string; readonly pid: number }) =>
      `Keyturn ${version} runs (process ${pid})`,
    otherVersion: {
      what: ({ running, own }: Versions) => `Keyturn ${running} runs, and this command is of ${own}.`,
      why: () => 'What an update mends is not in force until it is restarted.',
      mend: () => 'Restart it: systemctl --user restart keyturn, or docker compose up -d.',
    },
    channelFails: {
      what: ({ platform, why }: TokenFault) => `The channel ${platform} of the Keyturn that runs does not work: ${why}`,
      why: () => 'Nobody can talk to it there.',
      mend: () =>
        `${ownCommand()} status shows since when; what is said above about this channel mends it, if anything is.`,
    },
    socketFails: {
      what: ({ why }: { readonly why: string }) => `A Keyturn runs, but does not answer: ${why}`,
      why: () => `Commands such as ${ownCommand()} status do not work.`,
      mend: () => 'Restart it, and look at its log.',
    },
  },
  zh: {
    ok: '正常',
    fault: '故障',
    doubt: '注意',
    notSeen: '没有检查',
    allWell: '一切正常。',
    found: ({ faults, doubts }) =>
      [faults === 0 ? [] : `${faults} 处需要修复`, doubts === 0 ? [] : `${doubts} 处值得注意`].flat().join('，'),
    labels: { why: '影响', mend: '修复' },
    noConnection: ({ code, host }) =>
      code === 'ENOTFOUND' || code === 'EAI_AGAIN'
        ? `这里查不到域名 ${host}（${code}）`
        : code === 'ECONNREFUSED'
          ? `${host} 上没有程序在监听（${code}）`
          : code === 'TimeoutError'
            ? `${host} 在 5 秒内没有回答`
            : `无法连接 ${host}（${code}）`,
    checkFails: {
      what: ({ name, why }) => `检查“${name}”没有完成：${why}。`,
      why: () => '它检查的内容可能有问题。',
      mend: () => `再运行一次“${ownCommand()} doctor”；一直这样就报告这个问题。`,
    },

    configOk: ({ path }) => `${path} 可以使用`,
    configNone: '没有配置文件：使用默认设置',
    configUnusable: {
      what: ({ count }) => `配置有 ${count} 处错误。`,
      why: () => 'Keyturn 无法用它启动；配置里提到的东西这次都没有检查。',
      mend: () => `${ownCommand()} config check 会指出位置和写法。`,
    },

    filesPrivate: '只有你能读密钥和数据',
    openFile: {
      what: ({ path, mode }) => `这台机器的其他用户可以读 ${path}（权限 ${mode}）。`,
      why: () => '里面有令牌和密钥，别人可以用它们冒充你的机器人。',
      mend: ({ path }) => `chmod 600 ${path}`,
    },
    openFolder: {
      what: ({ path, mode }) => `这台机器的其他用户可以进入 ${path}（权限 ${mode}）。`,
      why: () => '聊天、文件和记忆都在里面。',
      mend: ({ path }) => `chmod 700 ${path}`,
    },

    diskFree: ({ free }) => `数据所在磁盘剩余 ${free}`,
    diskLow: {
      what: ({ folder, free }) => `${folder} 所在磁盘只剩 ${free}。`,
      why: () => '磁盘满了就什么都存不下，也就无法回答。',
      mend: ({ folder }) => `腾出空间：du -sh ${folder}/* 显示哪些文件大。`,
    },

    clockRight: '本机时间和服务器一致',
    clockOff: {
      what: ({ seconds, host }) => `本机时间比 ${host} ${seconds > 0 ? '快' : '慢'} ${Math.abs(seconds)} 秒。`,
      why: () => '提醒会在错误的时间到来，服务器会拒绝证书和签名。',
      mend: () => 'timedatectl set-ntp true',
    },

    proxyReached: ({ proxies }) => `可以连接：${proxies.join('、')}`,
    proxyDown: {
      what: ({ proxy, code }) => `无法连接代理 ${proxy}（${code}）。`,
      why: () => '所有对外的连接都经过它：模型和渠道都无法工作。',
      mend: ({ source }) => `启动它，或改正 ${source}。`,
    },

    certificatesValid: ({ count }) => `另外信任 ${count} 个，都有效`,
    certificateOver: {
      what: ({ subject, day, isOver }) =>
        `你信任的“${subject}”的证书${isOver ? '已于' : '将于'} ${day} ${isOver ? '过期' : '到期'}。`,
      why: () => '从那时起，出示这个机构证书的服务器都会被拒绝。',
      mend: () => '把它的新证书放进 network.ca_file、SSL_CERT_FILE 或 NODE_EXTRA_CA_CERTS 指定的文件。',
    },

    sandboxHolds: '命令在沙箱（bubblewrap）中运行',
    sandboxOff: {
      what: () => 'tools.shell.sandbox 设为 off。',
      why: () => '命令可以做 Keyturn 用户能做的一切，包括工作区以外的文件。',
      mend: () => '删除配置中 tools.shell 下的 "sandbox": "off"。',
    },
    sandboxFails: {
      what: ({ reason }) => `这里没有沙箱：${reason}`,
      why: ({ isRequired }) =>
        isRequired ? '配置要求沙箱，所以不运行任何命令。' : '每个命令都要先问，并且可以做 Keyturn 用户能做的一切。',
      mend: ({ isMissing }) =>
        isMissing
          ? 'sudo apt install bubblewrap socat（Debian、Ubuntu）；docs/deploy.md 有更多说明。'
          : `照冒号后面的说明做，再运行 ${ownCommand()} doctor；docs/deploy.md 有更多说明。`,
    },

    modelAnswers: ({ names }) => `可以连接：${names.join('、')}`,
    modelOffline: {
      what: () => '只有离线模型，它只匹配句式，不是 AI。',
      why: () => '除了示例，它什么都不懂。',
      mend: () =>
        `${ownCommand()} setup 会找一个。或者把 ANTHROPIC_API_KEY=…（或 OPENAI_…、GEMINI_…）写进配置旁的 .env，或在 models 下写一个服务器。`,
    },
    modelUnreached: {
      what: ({ name, why }) => `无法连接模型 ${name}：${ended(why, '。')}`,
      why: () => '在它恢复之前，消息得不到回答。',
      mend: ({ address, isHosted }) =>
        isHosted
          ? '检查网络和 network.proxy；有些网络会屏蔽它。'
          : `启动 ${address} 的服务器，或改正 base_url。curl ${address}/models 可以看它是否回答。`,
    },
    modelKeyRefused: {
      what: ({ name, status }) => `模型 ${name} 的服务器拒绝这个密钥（${status}）。`,
      why: () => '它什么都不回答。',
      mend: () => '在服务商处新建一个密钥，写进 .env；看看前后有没有多余的引号和空格。',
    },
    modelFault: {
      what: ({ name, status }) => `模型 ${name} 的服务器出错（${status}）。`,
      why: () => '在它修好之前，消息得不到回答。',
      mend: ({ address }) => `过几分钟再试；服务商的状态页，或 ${address} 的日志，里面有更多。`,
    },
    modelUnknown: {
      what: ({ name, model }) => `${name} 的服务器上没有模型“${model}”。`,
      why: () => '它会拒绝每个请求。',
      mend: ({ model, listed }) =>
        `加载它（ollama pull ${model}），或改用已有的：${listed.length === 0 ? '一个也没有' : listed.join('、')}。`,
    },

    noSuchModel: ({ name, names }) => `配置中没有模型“${name}”。可以用：${names.join('、')}。`,
    modelSilent: ({ model, problem }) => `${model} 没有回答。${problem}`,
    modelAnswered: ({ model, seconds }) => `${model} 用 ${seconds} 秒回答了。`,
    modelCalls: '它会调用工具。',
    modelTalks: ({ said }) =>
      `要它调用工具，它却只是说话：“${said}”。不能指望它使用工具；换一个模型，或给它设置 tool_calls "text"。`,

    notRunning: '没有运行',
    running: ({ version, pid }) => `Keyturn ${version} 正在运行（进程 ${pid}）`,
    otherVersion: {
      what: ({ running, own }) => `正在运行的是 Keyturn ${running}，这个命令是 ${own} 的。`,
      why: () => '重启之前，更新修复的内容不会生效。',
      mend: () => '重启它：systemctl --user restart keyturn，或 docker compose up -d。',
    },
    channelFails: {
      what: ({ platform, why }) => `正在运行的 Keyturn 的渠道 ${platform} 无法工作：${why}`,
      why: () => '没有人能在那里和它对话。',
      mend: () => `${ownCommand()} status 显示从什么时候开始；上面对这个渠道的说明如果有，就照它修复。`,
    },
    socketFails: {
      what: ({ why }) => `有一个 Keyturn 在运行，但不回答：${why}`,
      why: () => `${ownCommand()} status 之类的命令无法使用。`,
      mend: () => '重启它，并查看它的日志。',
    },
  },
});

interface Found {
  readonly faults: number;
  readonly doubts: number;
}

interface NoSandbox {
  /** With what mends it. */
  readonly reason: string;
  /** Whether a program for it is not installed. */
  readonly isMissing: boolean;
  readonly isRequired: boolean;
}

interface NamedFault {
  readonly name: string;
  readonly why: string;
}

interface OpenPlace {
  readonly path: string;
  readonly mode: string;
}

interface DiskPlace {
  readonly folder: string;
  readonly free: string;
}

interface ClockGap {
  readonly seconds: number;
  readonly host: string;
}

interface ProxyDown {
  readonly proxy: string;
  readonly source: string;
  readonly code: string;
}

interface Certificate {
  readonly subject: string;
  readonly day: string;
  readonly isOver: boolean;
}

interface ModelPlace {
  readonly name: string;
  readonly address: string;
  readonly status: number;
}

interface UnreachedModel {
  readonly name: string;
  readonly address: string;
  /** The server of a provider, which nobody here can start. */
  readonly isHosted: boolean;
  readonly why: string;
}

interface MissingModel {
  readonly name: string;
  readonly model: string;
  readonly listed: readonly string[];
}

interface TokenFault {
  readonly platform: string;
  readonly why: string;
}

interface Versions {
  readonly running: string;
  readonly own: string;
}
