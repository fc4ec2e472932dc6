/*
 * The words by which a wish for good is known ("always", 以后都, 今後), and a greeting. In the languages that they are most often
 * said in, by what they are about: the time that they hold for, what must not be done unasked, language and style, names.
 */

/** What makes a question an order. */
export const requests =
  /\b(?:(?:can|could|will|would) you|please|bitte|peux-tu|pouvez-vous|puedes|podrías|можешь|можете)\b|能不能|能否|可以|可否|请|請|くださ|もらえ|くれ|주세요|줄래|줄 수/iu;

/** Where an order may begin: at the start of a clause, or behind words that lead to it. */
const order = String.raw`(?:^|[.!;:,(\n–—-]\s*|\b(?:please|kindly|and|but|then|so|also|just|you (?:must|should|shall|can|have to|need to|are to|will|may)|(?:can|could|will|would|want|like) you(?: to)?|must|should)\s+)`;

const standing: readonly RegExp[] = [
  /\bfrom (?:now|here|today|this (?:point|moment)) on|\b(?:going forward|henceforth|from now until|until i (?:say|tell you)|unless i (?:say|tell you)|for the rest of (?:this|our|the))\b|\bin (?:the )?future,/i,
  new RegExp(
    `${order}(?:always|never|do(?:n['’]t| not) (?:ever|forget)|(?:remember|note)(?::|,? (?:that|to)\\b)|(?:keep|bear) in mind)(?![\\p{L}\\p{N}])`,
    'iu',
  ),
  new RegExp(
    `${order}(?:call me|address me|(?:answer|reply|respond|speak|talk|write)(?: to)?(?: me| us)?(?: only| just)? in \\p{L})`,
    'iu',
  ),
  /\b(?:every|each) time\b|\bwhenever (?:i|you|we|there|somebody|someone)\b|\b(?:by default|as a rule)\b/i,
  /\b(?:don['’]t|do not|no more|stop|quit)\b.{1,120}\b(?:any ?more|any longer|ever again|again)\b/i,
  // Chinese, simplified and traditional.
  /(?:^|[，。！；：、,;:\s]|请|請|你|那么|那麼)以[后後](?=[\s，,]*\S)|以[后後](?:[都就请請不别別要用只你您每回全]|一律)|(?:从|從|自)(?:现|現)在(?:起|开始|開始)|(?:从|從)今(?:天|日)?(?:起|往后|往後|以后|以後|后|後)|今[后後]|往[后後](?=[都请請，,]|不要)/u,
  /(?<![他她它们們我])(?:总是|總是|永远|永遠|始终|始終|一律)|(?:请|請|要|你|您)一直|每(?:次|当|當)|(?:不要|不许|不許|不准|别|別|不用)再|再也(?:不要|别|別)|(?:绝|絕|千万|千萬|切)(?:不要|不能|不可|别|別|勿)|切勿|[务務]必/u,
  /(?:^|[，。！；：,;:\s]|请|請|你|您|要)(?:记住|記住|记得|記得|牢记|牢記|谨记|謹記|记一下)|别忘|別忘|不要忘|默认|預設|叫我|称呼我|稱呼我|(?:用|说|說)(?:中文|英文|英语|英語|日语|日語|日文|韩语|韓語|粤语|粵語|法语|法語|德语|德語|俄语|俄語|西班牙语)(?:回答|回复|回覆|交流|和我|跟我)/u,
  // Japanese.
  /今後|これから(?:は|も|ずっと)|以後|常に|いつも(?!あり|お世話|どうも)|毎回|必ず|絶対に|決して|二度と|覚えて(?:おいて|て|ね|く)|忘れないで|今日から|ずっと.{0,20}(?:して|ください|で)|もう.{0,30}ないで|と呼んで|語で(?:答え|返|話|書)/u,
  // Korean.
  /앞으로|이제부터|지금부터|오늘부터|항상|언제나|늘\s|매번|절대|다시는|기억해|명심해|잊지\s?(?:마|말)|더\s?이상.{0,40}(?:마|말)|라고 불러|어로 (?:대답|답|말|써)/u,
  // German, French, Spanish, Portuguese, Italian, Russian.
  /\b(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|zukünftig|in zukunft|merk(?:e)? dir|denk(?:e)? (?:immer )?daran|vergiss nicht|nie wieder|nenn(?:e)? mich)\b|(?:^|[.!;,]\s*|\bbitte\s+|\p{L}{1,30}e?\s+(?:mir\s+)?)(?:immer|niemals)\s+\p{L}/iu,
  /(?:^|[^\p{L}])(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir|souviens-toi|rappelle-toi|n['’]oublie pas|retiens|appelle-moi|ne .{1,60} (?:jamais|plus)|(?:réponds|écris|utilise|parle)[ -].{0,40}toujours|toujours)(?![\p{L}])/iu,
  /(?:^|[^\p{L}])(?:de ahora en adelante|a partir de (?:ahora|hoy|agora|hoje)|de agora em diante|en el futuro|recuerda|acuérdate|no olvides|lembre-se|lembra-te|não (?:se )?esqueça|llámame|chama-me|me chame|siempre|nunca(?: más| mais)?|sempre|d['’]ora in poi|da ora in poi|da adesso in poi|ricorda(?:ti)?|non dimenticare|chiamami|mai più)(?![\p{L}])/iu,
  /(?:^|[^\p{L}])(?:отныне|впредь|с этого момента|с сегодняшнего дня|начиная с сегодня|запомни(?:те)?|не забывай(?:те)?|помни(?:те)?|всегда|никогда|больше не|называй(?:те)? меня|отвечай(?:те)? (?:мне )?(?:только )?(?:на|по-))/iu,
];

/** As the patterns for Chinese write it. Only the characters that they have. */
const simplified: ReadonlyMap<string, string> = new Map(
  (
    '請请 個个 們们 說说 講讲 話话 語语 體体 國国 漢汉 廣广 東东 臺台 閩闽 韓韩 雙双 寫写 換换 經经 許许 過过 問问 認认 確确 徵征 訴诉 給给 讓让 準准 備备 別别 刪删 動动 發发 洩泄 開开 ' +
    '執执 運运 裝装 載载 轉转 買买 覆复 複复 後后 來来 對对 時时 場场 況况 間间 會会 當当 終终 盡尽 簡简 潔洁 詳详 細细 禮礼 氣气 潑泼 溫温 囉啰 廢废 長长 點点 應应 輸输 釋释 統统 總总 ' +
    '論论 麼么 誰谁 稱称 為为 單单 幣币 歐欧 農农 曆历 攝摄 華华 須须 絕绝 嚴严 標标 頭头 從从 錢钱 幫帮 慣惯 歡欢 討讨 厭厌 謝谢 嗎吗 見见 喚唤 聲声 記记 號号 ' +
    '萬万 沒没 與与 書书 亂乱 務务 傳传 價价 僅仅 採采 啟启 啓启 堅坚 實实 將将 帶带 報报 斷断 無无 顯显 條条 樣样 權权 溝沟 煩烦 現现 結结 編编 聯联 係系 計计 訪访 該该 讀读 賬账 帳账 還还 進进 遠远 這这 郵邮 ' +
    '裡里 裏里 隨随 靜静 項项 風风 騙骗 註注 餘余 並并 製制 儘尽 於于'
  )
    .split(' ')
    .map(([traditional = '', usual = '']) => [traditional, usual] as const),
);

function inSimplified(text: string): string {
  return text.replace(/\p{Script=Han}/gu, (one) => simplified.get(one) ?? one);
}

/** Where a clause begins in Chinese, or what leads to an order. */
const clause = '(?:^|[，。！？；：、“「,.!;:\\s]|请|你|您|也|都|但|而且|并且|麻烦|拜托)';
const chineseLanguage =
  '(?:(?:简体|繁体|正体|标准)?(?:中文|汉语|国语|华语|普通话|白话文?|大白话|粤语|广东话|闽南语|台语|上海话|四川话|东北话|文言文?|方言|母语|英文|英语|日文|日语|日本语|韩文|韩语|法文|法语|德文|德语|俄文|俄语|西班牙语|西班牙文|西语|意大利语|葡萄牙语|葡语|阿拉伯语|越南语|泰语|印尼语|敬语|口语|书面语|双语|中英文|外语)|简体字?|繁体字?)';
const answering = '(?:来|进行|与我|跟我|和我|对我|给我)?(?:回|答|交流|聊|沟通|对话|说话|讲话|讨论|解释|和我|跟我|与我)';
const clauseEnd = '(?=[，。！；、,.!;\\s吧啊呀哦喔哈啦就即谢了）)]|$)';
/** What is forbidden for good more often than once. */
const harm =
  '(?:用|使用|删|改|动|碰|发|寄|透露|泄|公开|外传|告诉|分享|提到|提及|说|讲|执行|运行|安装|下载|转账|付款|花钱|买|下单|重启|覆盖|提交|推送|部署|合并|叫我|称|骗|编造|瞎编|胡编|乱|擅自|私自|随便|自作主张|自动|道歉|啰嗦|废话|太长|超过|加|带|出现|写英文|写注释|回英文|打断|联系|回复|访问|读取|打开|泄露|上传)';

/** Wishes in Chinese, on the text in simplified characters. */
const chinese: readonly RegExp[] = [
  // What must not be done, or not before somebody is asked.
  /未经|没有?(?:经过?)?(?:我|本人|我们)的?.{0,6}(?:允许|同意|许可|批准|授权|确认|点头)|不经(?:过)?(?:我|本人|允许|同意|许可)|(?:除非|只有|直到|等)我.{0,6}(?:说|同意|允许|许可|批准|确认|点头|要求|开口)/u,
  /先(?:来)?(?:问|请示|询问|通知)(?:过|一下|一声|问|下)?(?:我|本人)|先(?:来)?(?:跟|和|向|与|找|让|经过?|征得|征求|得到|取得|给|等)(?:我|本人).{0,4}(?:确认|商量|说|报备|请示|同意|批准|许可|允许|看|过目|核实|汇报|意见)|先(?:征得|征求|得到|取得|经过)?(?:我的?)?(?:同意|确认)(?:再|后|才|一下再)/u,
  /(?:之前|以前|前)(?:[，,]|都|请|要|必须|一定|得|需要?|应该?|最好|先){1,4}.{0,4}(?:问|确认|告诉我|通知|备份|说一声|请示|征求|经我|让我)/u,
  new RegExp(
    `${clause}(?:绝对|一定|千万|永远|从来|全程|尽量|坚决)?(?:不要|别|勿|不许|不准|不得|不可以?|不能|不用|禁止|严禁|少)(?:给我|再|去|对任何人|跟任何人|向任何人|把.{1,12}?|将.{1,12}?)?${harm}`,
    'u',
  ),
  // In which language.
  new RegExp(
    `(?:${clause}|只|能|要|会|希望|全程|全部|统一|必须|一律|就|还是|改成?|换成?|都)(?:请|只能?|要|全程|全部|统一|必须|都|就|尽量|一直|还是|给我){0,3}(?:以|用|使用|说|讲|写|打|改用|切换(?:成|到|为)|换成|改成)${chineseLanguage}(?:${answering}|${clauseEnd})`,
    'u',
  ),
  new RegExp(
    `(?:只|仅|全程|一律|统一)(?:能|准|许|可以|要|会)?(?:用|使用|说|讲|写|看得懂|看懂|懂)${chineseLanguage}`,
    'u',
  ),
  new RegExp(
    `(?:回答|回复|消息|内容|输出|交流|对话|聊天)(?:请|都|要|全|一律|必须|统一){0,2}(?:用|以|使用)${chineseLanguage}`,
    'u',
  ),
  // From when on, and when.
  /(?:^|[，。！；：、,;:\s]|从|从此|请|那么?)(?:之后|后面|接下来|往后|以后|此后|从此|剩下|余下|将来|日后)的?(?:对话|回答|回复|消息|聊天|内容|时间|所有|每次)*[，,]?[你您]?(?:[都就请要全]|只能|别|不要|不许|统一|务必|必须|一律|尽量|用(?!了))/u,
  /(?:^|[，。！；：、,;:\s]|就|都|能不能|可以)一直(?:要|都|请)?(?:用|说|讲|以|按|叫|保持|这样|使用)|(?:全程|自始至终|从头到尾)(?:[都请要用说讲以按保使别不])|(?:无论|不论|不管)(?:如何|怎样|怎么样?|何时|什么|谁|是谁|我|多).{0,12}(?:都|不|要|别|先|请|必|一律|也)/u,
  /任何(?:时候|情况|时间|场合|人|事|操作|改动|修改|文件).{0,20}(?:不|都|先|要|别|必|得|须)|凡(?:是|涉及|遇到)?.{1,20}(?:都|一律|要|必|皆|先|就|不|用)|只要(?:是|我|你|有|涉及|碰到|遇到|提到|收到|看到).{1,30}(?:就|都|要|先|必|请)|(?:涉及|关于|有关|牵涉|碰到|遇到|每当|一旦).{1,25}(?:都要?|一律|先|必须|务必|就要|要先|不要|别)/u,
  /(?:所有|全部|一切|每个|每条|每封|每一[个条封次]).{1,20}?(?:都要|都得|都用|都应|都必|都请|都先|都不|都加|都写|都附|都放|都存|必须|一律|统一|要用|要先|要加|不要|不准|不得|不能|别用|用)/u,
  // How.
  /(?:回答|回复|答案|说话|讲话|语气|消息|输出|注释|排版|格式|回我|解释|总结|代码风格).{0,8}(?:简短|简洁|精简|简明|简单|短一?[点些]|详细|正式|礼貌|客气|幽默|活泼|温柔|口语|直接|不超过|不要超过|以内|字内|保持|控制在|尽量)/u,
  /(?:尽量|尽可能|保持|注意|最好|记着)(?:简短|简洁|精简|简单|短|礼貌|客气|正式|安静|少|别|不要?|用|说|以)|长话短说|言简意赅|(?:^|[，。！\s]|请)(?:少说|别说|不说|少讲)(?:废话|话|点)?|(?:说话|对我|跟我).{0,4}(?:客气|礼貌|温柔|正式)一?[点些]/u,
  /(?:用|使用|以|按|采用|换算成|显示为)(?:公制|英制|米制|公里|公斤|摄氏|华氏|24 ?小时|二十四小时|12 ?小时|人民币|美元|欧元|港币|台币|日元|北京时间|本地时间|当地时间|UTC|公历|农历|敬称|尊称|第一人称|markdown|纯文本|项目符号|要点|列表|表格)(?:单位|制|度|时间|格式|的?形式|计价|表示|显示|回答|回复)?(?:[吧啊哦，。！,.!\s]|$|回答|回复|表示|显示|来|就)/iu,
  // Names, and what stays true of a person.
  /(?:叫|喊|称呼?|唤)(?:我|本人)(?=\S)|管我叫|(?:^|[，。！,\s])我叫(?!了|他|她|它|你|车|外卖|过|做|什么|啥|人)|我的名字(?:是|叫)(?!什么|啥)|我姓|(?:^|[，。！,\s]|以后|现在|就)你(?:就|以后|现在)?叫(?!什么|啥|我|他|她|谁|车|一下|不|人)|你的(?:名字|昵称|名称|称呼|角色|身份)(?:就|以后|现在)?(?:是|叫|为|改)(?!什么|啥|谁)|(?:给|帮)你(?:取|起)(?:个|了)?.{0,4}名|我(?:以后|就|今后)?(?:叫|喊)你|扮演|假装你?是|充当|你(?:现在|以后|就)?是我的(?!.{0,8}[吗么])/u,
  /我(?:不吃|吃素|是素食|只吃|住在|住[在]?[^\s]{1,4}$|不喜欢|不习惯|讨厌|偏好|更喜欢|习惯用?|对.{1,10}过敏)|我的(?:时区|生日|地址|邮箱|电话|偏好|习惯|口味)(?:是|在|为)/u,
];

const language =
  '(?:simplified|traditional|british|american|plain|simple|formal|easy)?\\s*(?:chinese|english|german|french|spanish|italian|portuguese|russian|japanese|korean|cantonese|mandarin|arabic|dutch|polish|turkish|hindi|vietnamese|thai|swedish|latin)';
const asksFirst = '(?:ask|check with|confirm|consult|tell|warn|show|notify|inform|get my|wait for my)';
const harmInEnglish =
  '(?:delete|remove|erase|overwrite|change|edit|modify|touch|move|rename|use|send|mail|email|post|publish|push|deploy|commit|merge|install|run|execute|restart|reboot|pay|buy|order|spend|book|share|reveal|disclose|leak|tell (?:any|my|him|her|them)|mention|talk about|apologi[sz]e|swear|guess|invent|make (?:up|any)|add|include|interrupt|call me|reply to|answer in|write in|contact|open|access|lecture|translate)';

/** In English, besides the words that mean a time. */
const english: readonly RegExp[] = [
  /\bwithout (?:first )?(?:asking|telling|checking|consulting|confirming|warning|notifying|my|our|explicit|prior|permission|approval|confirmation|consent)\b|\b(?:only|not) (?:with|after|if|when|until|before) (?:my|i|you (?:have )?ask|we)\b|\b(?:unless|until) (?:i|we)\b|\b(?:under no circumstances|on no account|at all times|no matter (?:what|who|how)|in (?:any|every) case|each and every|as long as (?:i|we|you)|throughout (?:this|our|the)|permanently|for good)\b/i,
  new RegExp(
    `${order}${asksFirst}\\b.{0,60}\\b(?:before|first|prior to)\\b|\\bbefore (?:you )?(?!(?:i|we|he|she|they|it)\\b)\\p{L}+.{0,60}\\b${asksFirst}(?: (?:me|us|with me|it)\\b|\\b)`,
    'iu',
  ),
  new RegExp(
    `${order}(?:do not|don['’]t|never|no need to|avoid|refrain from|you (?:may|must|can) ?not|must not|mustn['’]t|cannot)(?: ever)? ${harmInEnglish}`,
    'iu',
  ),
  new RegExp(
    `${order}(?:use|speak|stick to|prefer|switch to|talk|write|answer|reply|respond)(?: (?:only|just|with|in|to me|me|everything|always|strictly)){0,3} (?:${language}\\b|(?:metric|imperial|si|celsius|fahrenheit|kilomet|24|12-hour|euros?\\b|dollars?\\b|utc|iso|local time|formal|informal|simple|plain|polite|short|brief|bullet|markdown|plain text|no more than|at most|one sentence|few words|emoji|tabs|spaces|typescript only|sentence case|my (?:first )?name))`,
    'iu',
  ),
  new RegExp(
    `\\b${language} only\\b|\\bonly (?:in )?${language}\\b|${order}in ${language},? please\\b|\\bno (?:more )?${language}(?=[.!,]|$)`,
    'iu',
  ),
  new RegExp(
    `${order}(?:keep (?:(?:your|the|all|every|my|our|any|this|that|it|them|things|everything|to)\\s*)?(?:\\p{L}+\\s+){0,2}(?:short|brief|concise|simple|formal|polite|private|secret|confidential|quiet|under|below|within|to (?:the point|one|two|three|a|\\d)|in (?:${language}|mind))|(?:be|stay|remain) (?:more |very |always |as )?(?:brief|concise|short|formal|informal|polite|direct|honest|terse|succinct|kind|careful|quiet|casual)|(?:answer|reply|respond|write|speak|talk)(?: to)?(?: me)? (?:briefly|concisely|politely|formally|informally|casually|shortly|like|as an?)\\b|(?:short|brief|concise) (?:answers|replies|sentences|messages)|no (?:emojis?|emoticons|small ?talk|apologies|jargon|tables|markdown|filler|bullet|disclaimers|swearing|smileys)|skip the)`,
    'iu',
  ),
  /\b(?:all|every|any|each)\s(?:[\p{L}\p{N}'’-]+\s){1,5}(?:must|should|shall|has to|have to|needs? to|goes|go to|in (?:english|chinese))\b|(?:^|[.!;,]\s*)(?:when|if|as soon as) i (?:say|write|send|ask|type|mention)\b|\banything (?:that |to do with |about |with )/iu,
  /(?:^|[.!;,]\s*|\b(?:and|but|so|hi|hello) )(?:my (?:name|pronouns|time ?zone|birthday|email|address) (?:is|are)|i (?:go by|prefer|live in|hate|don['’]t (?:eat|like|drink))|i(?:['’]m| am) (?:called|allergic|vegetarian|vegan|colou?r-?blind|deaf|blind)|your (?:new )?name (?:is|will be|shall be)|you(?:['’]re| are) (?:called|now|my)\b|i(?:['’]ll| will) call you|(?:pretend|act|behave|role-?play) (?:to be|as|like|that)|treat me)/iu,
];

/** In Japanese and Korean, likewise. */
const japaneseAndKorean: readonly RegExp[] = [
  /勝手に|無断で|(?:許可|確認|承認|同意|相談)(?:な[しく]|せずに|も?なしに|を?(?:得|取|もら)(?:る|って|ら|わ|う|え)|が(?:ない|なければ|出る))|(?:する|消す|送る|削除|変更|実行|る|す|う|く|の)前に.{0,12}(?:聞いて|きいて|確認|相談|尋ねて|知らせ|教えて)|(?:先|事前|まず私)に.{0,8}(?:確認(?:して|を)|聞いて|きいて|相談)/u,
  /(?:削除|変更|送信|実行|公開|共有|使用|編集|インストール|購入|投稿)しないで|(?:送ら|消さ|触ら|使わ|言わ|書か|教え|謝ら|漏らさ|入れ|付け|変え|呼ば|見せ)ないで|(?:は|を)?(?:使用)?(?:禁止|厳禁)(?:です|で|だ|。|！|$)|(?:は|を)(?:一切|もう)?(?:使わない|不要|いらない|なし|やめて)/u,
  /(?:日本語|英語|中国語|韓国語|フランス語|ドイツ語|スペイン語|敬語|関西弁|大阪弁|標準語|方言|タメ口|ため口|丁寧語|です・?ます調?|である調|ひらがな)(?:だけ|のみ)?(?:で|を使|に)(?:お願い|おねがい|話|答|返|書い|書く|して|統一|頼|よろ|しゃべ|喋|いい|良い|って|。|！|$)|(?:日本語|英語|中国語|韓国語)(?:だけ|のみ|オンリー)/u,
  /(?:短く|簡潔に|手短に|丁寧に|わかりやすく|分かりやすく|詳しく|簡単に|箇条書きで|一言で|フランクに|優しく)(?:答|返|書い|話|お願い|おねがい|して|よろ)|(?:返事|回答|返信|答え|文章|説明|口調|出力|メッセージ|名前|コメント|コード|日付|単位)は.{0,18}(?:短|簡潔|行で|行以内|以内|文字|丁寧|敬語|箇条書き|語で|統一|にして|でお願い|メートル)|メートル法|摂氏で|華氏で|24時間表記/u,
  /(?:と|って)(?:呼んで|呼べ|呼ぶ)|(?:私|僕|俺|君|きみ|あなた|お前)の名前は(?!何|なん|なに|わか|知)|と申します|(?:たび|度)に.{0,20}(?:て|で)(?:ください|くれ|ね|。|$)|(?:どんな|いかなる)(?:時|とき|場合|こと).{0,8}(?:も|でも)|何があっても|(?:すべて|全て|全部)の.{1,15}(?:は|を|に).{0,20}(?:て|で)|(?:の場合|る時|るとき|時)は(?:必ず|先に|まず|いつも)|アレルギー|(?:が|は)食べられません|に住んで/u,
  /(?:허락|허가|동의|승인|확인|내 말|물어보지도) ?(?:없이|않고)|(?:먼저|미리|꼭) .{0,12}(?:물어|확인(?:해|받)|허락|허가)|기 ?전에(?:는)? .{0,15}(?:물어|확인|말해|알려|허락|백업)/u,
  /(?:지우|삭제하|보내|건드리|사용하|쓰|바꾸|변경하|공개하|말하|알려 ?주|실행하|설치하|올리|공유하|수정하|사과하|부르|만지)지\s?(?:는\s?)?(?:마|말)|(?:사용|언급|삭제)? ?금지(?:야|입니다|$|[.!])/u,
  /(?:한국어|영어|중국어|일본어|존댓말|반말|높임말|한글|표준어|사투리|불어|독일어|프랑스어|스페인어|러시아어)(?:로만|으로만|로|으로|만|를|을) ?(?:만 )?(?:써|쓰|대답|답|말|해|부탁|사용|이야기|얘기|설명해|$)/u,
  /(?:짧게|간단히|간단하게|간결하게|정중하게|친절하게|공손하게|편하게|자세히|자세하게) ?(?:만 )?(?:답|대답|말|써|유지|부탁)|(?:대답|답변|답|문장|말투|메시지|코드|날짜|단위)(?:은|는) .{0,18}(?:짧|간단|간결|줄|이내|글자|존댓|정중|로 |으로 |미터)|이모지.{0,8}(?:쓰지|금지|빼|사용하지|없이|말)|미터법|섭씨로|화씨로/u,
  /(?:이)?라고 (?:불러|부르|해)|(?:내|제|네|너의|당신의?) ?이름은(?! ?(?:뭐|무엇|뭔|몰))|때마다|(?:어떤|무슨) (?:경우|일|상황).{0,8}(?:도|든)|무조건|반드시|계속 .{0,15}(?:해 ?줘|해 ?주세요|써|사용해)|모든 .{1,20}(?:은|는|을|를|에|로).{0,25}(?:해|써|줘|세요|야)|알레르기|못 먹어|에 살아/u,
];

/** German, French, Spanish, Portuguese, Italian, Russian, likewise. */
const european: readonly RegExp[] = [
  /\bohne (?:mich|meine|zu fragen|rückfrage|nachfrage|erlaubnis)\b|\bfrag(?:e)? (?:mich )?(?:immer|erst|zuerst|vorher|bevor)\b|\bbevor du .{1,60}\bfrag|\b(?:antworte|schreib|sprich|rede)e?(?: mir| mit mir)?(?: bitte| nur)* (?:auf \p{L}|kurz|knapp|deutsch|englisch)|\b(?:nur|bitte) auf (?:deutsch|englisch)\b|\b(?:duze|sieze) mich\b|\b(?:ich heiße|mein name ist|du heißt|dein name ist)\b|\b(?:lösche|sende|schicke|benutze|verwende) (?:bitte )?(?:keine|nichts|nie)\b/iu,
  /\bsans (?:me demander|mon (?:accord|autorisation|avis)|ma permission)\b|\bdemande(?:z)?-moi .{0,30}avant\b|\bavant d(?:e |['’]).{1,60}\bdemande|(?:^|[^\p{L}])(?:réponds|répondez|parle|parlez|écris|écrivez)(?:-moi)?(?: uniquement| seulement)? (?:en \p{L}|brièvement)|\b(?:tutoie|vouvoie)-moi\b|\b(?:je m['’]appelle|tu t['’]appelles)\b|\bsois (?:bref|concis|poli)/iu,
  /\bsin (?:preguntarme|consultarme|mi (?:permiso|autorización|aprobación))|\bpregúntame (?:antes|primero|siempre)\b|\bantes de .{1,60}\bpreg[uú]nta|\b(?:responde|contesta|habla|escribe|respóndeme|háblame|escríbeme)(?: solo| sólo| siempre)? en \p{L}|\b(?:me llamo|te llamas|tu nombre es)\b|\bsé breve\b|\bsem (?:me perguntar|minha (?:permissão|autorização))|\b(?:responda|fale|escreva|responde)(?: só| apenas| somente)? em \p{L}|\bpergunte(?:-me)? antes\b|\bsenza (?:chiedermi|chiedere|il mio permesso)\b|\b(?:rispondi|parla|scrivi)(?:mi)?(?: solo| sempre)? in \p{L}|\bchiedimi (?:prima|sempre)\b|\bmi chiamo\b/iu,
  /(?:^|[^\p{L}])(?:без (?:моего|разрешения|спроса|согласия)|(?:сначала|прежде чем|перед тем как).{0,40}(?:спроси|спрашивай|уточн)|спрашивай(?:те)? меня|(?:пиши|говори|общайся|разговаривай)(?:те)? .{0,20}(?:на \p{L}|по-|коротко|кратко)|отвечай(?:те)? (?:коротко|кратко)|меня зовут|тебя зовут|не (?:удаляй|отправляй|используй|трогай)(?:те)?)/iu,
];

/** Whether the words say that they ask for something from then on. */
export function asksForGood(words: string): boolean {
  if ([...standing, ...english, ...japaneseAndKorean, ...european].some((pattern) => pattern.test(words))) return true;
  const folded = inSimplified(words);
  return chinese.some((pattern) => pattern.test(folded));
}

/** Whether the words only greet, thank or try whether somebody is there. */
export function isPleasantry(text: string): boolean {
  const plain = text.trim().toLowerCase();
  if (/^\/[a-z_]+(?:@\w+)?$/.test(plain)) return true;
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return (
    smallTalk.test(words.join(' ')) ||
    words.every((word) => pleasantries.test(word) || pleasantries.test(word.replace(particles, '')))
  );
}

/** What softens the end of a word. */
const particles = /(?<=.)[啊呀吧呢哦嘛了哈呐啦吗嗎么喔噢哟喲嗨~]+$/u;

const smallTalk =
  /^(?:(?:so |and )?who (?:are|r) (?:you|u)|what are you|what can you do|what(?: s|s) (?:up|your name)|how are you(?: doing)?(?: today)?|are you (?:there|here|awake|online|alive|ok)|(?:is )?any(?:body|one) (?:there|here|home)|can you (?:hear|read) me|nice to meet you|does (?:this|it) work|let s (?:go|start)|wer bist du|wie geht(?: e)?s(?: dir)?|qui es tu|ça va|cómo estás|quién eres|qué tal|как дела|кто ты|ты тут)$/u;

const pleasantries =
  /^(?:hi+|hey+|hello+|hallo|yo|hiya|greetings|good|morning|afternoon|evening|night|there|thanks?|thank|you|ok(?:ay)?|yes|yep|sure|cool|great|fine|nice|everyone|all|bot|again|so|much|very|test(?:s|ing)?|test\d+|\d{1,3}|ping|sup|start|moin|servus|guten|tag|morgen|bonjour|bonsoir|salut|hola|buenos|buenas|días|dias|tardes|olá|ola|oi|ciao|salve|buongiorno|привет|здравствуйте|здравствуй|добрый|день|(?:你们?|您|大家)好+|嗨+|哎|喂+|嘿+|嘻+|呵+|哈+|早|早上|午安|晚安|好|好的|好滴|嗯+|行|可以|收到|明白|知道|測試|测试|测试一下|測試一下|试试|試試|试一下|試一下|初次见面|初次見面|很高兴认识你|很高興認識你|请多关照|請多關照|辛苦|辛苦你|麻烦你|拜拜|再见|再見|你是谁|你是誰|你是哪位|你叫什么|你叫什么名字|你叫什麼名字|你会什么|你能做什么|你能干什么|你会做什么|你會做什麼|你能做什麼|你可以做什么|你在|你在吗|你在嗎|你在不在|有人|有人在|有人在吗|有人在嗎|在|在不在|开始|開始|哈[喽啰囉]|早上好|早安|下午好|晚上好|在吗|在嗎|(?:谢谢|謝謝|多谢|多謝|感谢|感謝)(?:你|您|你们|您们|大家|啦)?|大家好|こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|もしもし|やあ|やっほー?|どうも|おは(?:よ|よー)?|おやすみ(?:なさい)?|テスト(?:です|中)?|はい|了解(?:です|しました)?|いますか|いる|誰ですか|あなたは誰(?:ですか)?|君は誰|よろしく(?:お願い(?:いた|致)?します|ね)?|ありがと(?:う(?:ございます|ね)?)?|안녕(?:하세요|하십니까|하세용|하쇼)?|ㅎㅇ|하이|여보세요|테스트(?:입니다|중)?|네+|넵|누구세요|너는?|누구(?:야|니)?|당신은|누구입니까|계세요|있어요?|좋아요?|잘|부탁(?:해요?|드려요|드립니다|합니다)|반가워요?|감사(?:합니다|해요)|고마워요?|고맙습니다)$/u;
