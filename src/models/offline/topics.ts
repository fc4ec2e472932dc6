/* What people say that asks for no tool, in English and Chinese: small talk, questions about Keyturn, and what only a model can do. */

/**
 * `model`: how to set up a real model · `people`: who may talk · `plan`: what to do again and again, or at a time that is not
 * understood · `cannot`: only a model could.
 */
export type Topic =
  | 'hello'
  | 'thanks'
  | 'bye'
  | 'fine'
  | 'who'
  | 'help'
  | 'model'
  | 'people'
  | 'stop'
  | 'undo'
  | 'language'
  | 'safety'
  | 'plan'
  | 'cannot';

/** What a sentence is about. Undefined if that is not known. Call it for sentences that ask for no tool. */
export function topicOf(sentence: string): Topic | undefined {
  if (sentence.length > longestSentence) return undefined;
  const said = sentence.normalize('NFKC').trim();
  return topics.find(([, pattern]) => pattern.test(said))?.[0];
}

/** In characters: whoever writes more does not chat. */
const longestSentence = 300;

/** Ends of a greeting: names, smileys, a few more words. */
const end = String.raw`\b.{0,25}$`;
const zhEnd = String.raw`[呢呀啊吧了哈~～\p{P}\p{S}\s]{0,9}$`;

const topics: readonly (readonly [Topic, RegExp])[] = [
  ['hello', /^[^\p{L}\p{N}]*$/u],
  [
    'hello',
    english(
      String.raw`(?:hi+|hello+|hey+|hallo|hola|bonjour|ciao|howdy|yo|greetings|good (?:morning|day|evening|afternoon)|\/start|test|testing|ping|(?:is )?any(?:one|body) (?:there|home)|are you there)`,
    ),
  ],
  [
    'hello',
    chinese(
      '(?:(?:hi|hello|嗨|哈喽)[，, ]?)?(?:[你您]们?好|大家好|早上好|上午好|中午好|下午好|晚上好|早安?|晚安|嗨|哈[喽囉啰]|在[吗么]|有人[吗么]|测试(?:一下)?|こんにちは|안녕(?:하세요)?)',
    ),
  ],
  [
    'thanks',
    english(
      '(?:(?:ok(?:ay)?|great|perfect|cool|nice)[,!. ]+)?(?:many )?(?:thanks|thank you|thx|ty|danke|merci|gracias|cheers)',
    ),
  ],
  ['thanks', chinese('(?:好的?[，, ]?)?(?:非常|十分|太)?(?:谢谢|多谢|感谢|谢了|谢啦|辛苦)(?:你们?|您|了|啦)?')],
  ['bye', english('(?:good ?)?(?:bye+|night|see you|later|cu|ciao|exit|quit)')],
  ['bye', chinese('(?:再见|拜拜|回头见|下次见|晚点聊|我走|退出)')],
  [
    'fine',
    english(
      "(?:how are you|how(?:'s| is) it going|what(?:'s| is) up|nice|great|cool|wow|good|perfect|ok(?:ay)?|yes|yep|no|lol|haha)",
    ),
  ],
  [
    'fine',
    chinese(
      '(?:你好吗|最近怎么样|还好吗|吃[了饭].{0,3}|不错|厉害|真棒|太好|好的?|可以|行|嗯+|哦+|哈哈+|是的?|不用|算)',
    ),
  ],
  [
    'who',
    english(
      "(?:so )?(?:who|what) (?:are|r) (?:you|u)|(?:what|who) is (?:this|keyturn)|what(?:'s| is) your name|are you (?:an? )?(?:ai|bot|human|real|chatgpt|gpt|claude|llm)|(?:tell me )?about (?:you|yourself)|introduce yourself",
    ),
  ],
  [
    'who',
    chinese(
      '(?:请问)?[你您](?:到底|究竟)?(?:是|叫)(?:谁|什么|啥|AI|人|机器人|真人|哪个模型|什么模型|什么名字)[吗么]?|(?:请)?(?:自我)?介绍(?:一下)?(?:你|您)?自?己?|这是(?:什么|啥)|[你您]用的?是?(?:什么|哪个)模型',
    ),
  ],
  [
    'help',
    english(
      String.raw`\/?help(?: me)?|what (?:can|could) (?:you|i|we)|what do you (?:do|know|offer)|what (?:all )?(?:are|is) (?:you able|your|possible|the)\b.{0,20}(?:features?|commands?|tools?|abilit|skills?|do)|how (?:do|can|does) (?:i|you|this|it) (?:use|work|start|begin)|(?:show|list|what)(?: me)?(?: all| the| your| are the)* (?:commands?|tools?|features?|options|menu)|menu|commands?|get started|instructions`,
    ),
  ],
  [
    'help',
    chinese(
      '帮助|救命|怎么用|如何使用|使用说明|菜单|命令|(?:有|显示|列出)?(?:什么|哪些|所有)?(?:命令|功能|工具)|怎么(?:使用|开始|操作)(?:你|它|这个)?|[你您]?(?:都)?(?:能|会|可以)(?:帮我)?[做干]?些?(?:什么|啥|嘛)(?:事情?)?|[你您]?(?:都)?有(?:什么|哪些|啥)(?:功能|用|本事)|我(?:能|可以|该)(?:做|干|怎么做|说)(?:些)?(?:什么|啥)?',
    ),
  ],
  [
    'model',
    /\b(?:ollama|llama|openai|anthropic|gemini|claude|gpt|chatgpt|deepseek|qwen|api[ _-]?keys?|lm ?studio|openrouter|real (?:ai|model)|language model|llm)\b/i,
  ],
  [
    'model',
    english(
      "(?:how (?:do|can) i |let'?s |i (?:want|would like) to )?(?:set ?up|connect|use|add|choose|change|configure|install|get|switch)(?: to)?(?: you(?:r)?)?(?: a| an| the| my| another| real)* (?:ai|model|key|llm|brain)",
    ),
  ],
  [
    'model',
    /(?:接入|设置|配置|连接|使用|换|选择|安装|添加|怎么用)(?:一?个)?(?:真正的?|其他|别的|自己的)?(?:大?模型|AI|密钥|API)|通义|千问|豆包|智谱|文心|月之暗面|密钥/iu,
  ],
  [
    'people',
    /\b(?:who (?:else )?(?:can|may|is allowed to) (?:talk|write|use|see|read|chat)|(?:add|invite|let in|allow|pair)\b.{0,20}\b(?:friend|wife|husband|people|person|user|someone|family|colleague|team)|(?:add|put|use) you (?:to|in) (?:a|my|the|our) (?:group|channel|chat))/i,
  ],
  [
    'people',
    /(?:谁(?:能|可以|会)?(?:和|跟|看|用)|(?:邀请|添加|加|允许|让).{0,8}(?:朋友|家人|同事|别人|人|老婆|老公|妈|爸)|(?:拉|加).{0,4}(?:进|到|入).{0,4}群)/u,
  ],
  [
    'stop',
    english(
      '(?:please )?(?:stop|cancel|abort|halt|quit it|shut up|never ?mind|forget it)(?: it| that| this| everything| now)?',
    ),
  ],
  ['stop', chinese('(?:请)?(?:停(?:止|下|一下)?|取消|算了|别(?:做|说|弄)|终止|中止|闭嘴)(?:吧|它|这个|任务|一切)?')],
  ['undo', english('(?:can you |please )?(?:undo|revert|roll ?back|take (?:it|that) back|restore)')],
  ['undo', chinese('(?:请|帮我)?(?:撤销|撤回|还原|恢复|回退)(?:一下|刚才的?|上一步|这个|操作|修改)*')],
  [
    'language',
    /\b(?:speak|talk|answer|reply|write)(?: to me)?(?: in)? (?:chinese|english|german|french|spanish|mandarin)\b|\b(?:do|can) you (?:speak|understand|know) (?:chinese|english|german|french|spanish)\b/i,
  ],
  ['language', /(?:说|讲|用|会|懂)(?:一下)?(?:中文|英文|英语|汉语|普通话)/u],
  [
    'safety',
    /\b(?:is (?:it|this) safe|are you safe|what (?:do|can) you (?:see|access)|can you (?:see|access|read|delete) (?:my|all|everything)|permissions?|approval|private|privacy|my data)\b/i,
  ],
  ['safety', /安全吗|隐私|权限|审批|批准|会不会删|能不能看到我|数据(?:存|放|保存)/u],
  [
    'plan',
    /\b(?:remind|reminder|alarm|timer|schedule|every (?:day|morning|evening|week|hour|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b/i,
  ],
  ['plan', /提醒|闹钟|定时|计时|每(?:天|周|月|小时|个?早上|个?晚上)/u],
  [
    'cannot',
    /\b(?:weather|forecast|news|translat\w*|joke|poem|story|song|recipe|summar\w*|explain|calculate|stocks?|bitcoin|price of|email|mail|draw|picture of|image of|photo of|capital of|president|code|program|essay|book a|order|buy|play|movie|music)\b/i,
  ],
  ['cannot', /^(?:what|why|how|who|where|when|which|can|could|do|does|is|are|should|would|will)\b.{3,}\?$/i],
  [
    'cannot',
    /天气|新闻|翻译|笑话|诗|故事|唱|菜谱|总结|解释|计算|股票|比特币|邮件|画(?:一|个|张)|首都|代码|程序|作文|论文|预订|订票|买|播放|电影|音乐|聊(?:聊|天)|为什么|怎么(?:样|做|办)|是什么意思/u,
  ],
];

function english(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})${end}`, 'iu');
}

function chinese(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})${zhEnd}`, 'iu');
}
