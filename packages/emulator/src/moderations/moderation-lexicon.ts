/** The categories of the API description. */
export const MODERATION_CATEGORIES = [
  "hate",
  "harassment",
  "self_harm",
  "sexual",
  "violence",
  "illegal",
  "privacy",
] as const;
export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number];

/** How sure a phrase makes one of a category. */
interface LexiconEntry {
  pattern: RegExp;
  weight: number;
}

const CERTAIN = 0.9;
const LIKELY = 0.6;
const HINT = 0.35;

/** Phrases by category, English and Chinese. The names of the categories themselves are no evidence. */
export const moderationLexicon: Record<ModerationCategory, readonly LexiconEntry[]> = {
  hate: [
    {
      pattern:
        /\b(?:hate|despise|detest|exterminate|get rid of) (?:all |every |those |these )?(?:\w+ )?(?:immigrants?|foreigners?|refugees?|women|men|jews?|muslims?|christians?|gays?|lesbians?|blacks?|whites?|asians?|disabled)\b/i,
      weight: CERTAIN,
    },
    { pattern: /\b(?:subhumans?|vermin|master race|ethnic cleansing|inferior race)\b/i, weight: LIKELY },
    { pattern: /\bgo back to (?:your|their) (?:own )?country\b/i, weight: CERTAIN },
    { pattern: /种族歧视|劣等民族|滚回你(?:的|们的)?国家|低等人种/, weight: CERTAIN },
  ],
  harassment: [
    {
      pattern:
        /\b(?:you(?:'re| are)|u r) (?:a |an |so |such a |such an )?(?:complete |total |stupid |fucking |pathetic )*(?:idiots?|morons?|losers?|stupid|worthless|pathetic|ugly|trash|garbage|scum|imbecile)\b/i,
      weight: CERTAIN,
    },
    {
      pattern:
        /\b(?:shut up|nobody likes you|kill yourself|i will ruin your life|i(?:'ll| will) find you)\b/i,
      weight: LIKELY,
    },
    { pattern: /\b(?:bully(?:ing)?|stalk(?:ing)? (?:him|her|them|you))\b/i, weight: HINT },
    {
      pattern: /你(?:是|真是|就是)?(?:个)?(?:白痴|蠢货|废物|垃圾|傻子|笨蛋)|去死吧|没人喜欢你/,
      weight: CERTAIN,
    },
  ],
  self_harm: [
    {
      pattern: /\b(?:kill|hurt|harm|cut(?:ting)?|hang) (?:myself|yourself|themselves|himself|herself)\b/i,
      weight: CERTAIN,
    },
    {
      pattern:
        /\b(?:suicid(?:e|al)|self[- ]harm(?:ing)?|end my (?:own )?life|want to die|don'?t want to live)\b/i,
      weight: CERTAIN,
    },
    { pattern: /自杀|自残|不想活|结束(?:我的|自己的)生命|割腕/, weight: CERTAIN },
  ],
  sexual: [
    {
      pattern:
        /\b(?:porn(?:o|ography|ographic)?|nudes?|erotic(?:a)?|explicit sex|sex (?:scene|story|video)|blowjob|masturbat(?:e|ion|ing)|orgasm|xxx)\b/i,
      weight: CERTAIN,
    },
    { pattern: /\b(?:naked|strip(?:per|tease)|fetish|have sex|undress(?:ed|ing)?)\b/i, weight: LIKELY },
    { pattern: /色情|裸照|裸体|性爱|黄片|情色/, weight: CERTAIN },
  ],
  violence: [
    {
      pattern:
        /\b(?:kill|murder|shoot|stab|strangle|behead|torture|beat up|burn|attack|hurt) (?:him|her|them|you|people|someone|somebody|everyone|everybody|my \w+|your \w+|the \w+ (?:teacher|boss|neighbou?r)|children|kids)\b/i,
      weight: CERTAIN,
    },
    {
      pattern:
        /\b(?:i(?:'ll| will| am going to|'m going to)|how (?:to|do i|can i)|want to) (?:\w+ )?(?:kill|murder|shoot up|stab|massacre|bomb)\b(?! (?:an? |the |this |my |all )?(?:process|program|task|job|server|port|time|thread|session|command|container|script|weed|bug|germ))/i,
      weight: CERTAIN,
    },
    { pattern: /\b(?:massacre|bloodbath|mass shooting|slaughter|dismember(?:ed)?|gore)\b/i, weight: LIKELY },
    { pattern: /\b(?:knife|gun|weapon|fight|blood)\b/i, weight: HINT },
    { pattern: /杀(?:了|死|掉)?(?:他|她|你|人|死)|砍死|枪击|屠杀|爆炸袭击|打死/, weight: CERTAIN },
  ],
  illegal: [
    {
      pattern:
        /\b(?:(?:build|make|making|assemble|construct) (?:a |an )?(?:pipe )?(?:bomb|explosives?|meth|methamphetamine|counterfeit \w+)|cook meth)\b/i,
      weight: CERTAIN,
    },
    {
      pattern:
        /\b(?:(?:buy|sell|smuggle|order|get|traffic) (?:some |illegal |stolen )*(?:cocaine|heroin|meth|fentanyl|drugs|firearms|credit cards?)|launder(?:ing)? money|money laundering|fake (?:id|passport)s?|hack into|steal (?:a |the |someone'?s )?(?:car|identity|credit card|passwords?)|pick (?:a |the )?lock|shoplift(?:ing)?|tax evasion|phishing (?:kit|page|mail))\b/i,
      weight: CERTAIN,
    },
    {
      pattern: /\b(?:cocaine|heroin|methamphetamine|fentanyl|explosives?|malware|ransomware)\b/i,
      weight: LIKELY,
    },
    {
      pattern: /(?:制造|制作|购买|贩卖|走私)(?:炸弹|毒品|枪支|假币|假证)|洗钱|海洛因|冰毒|可卡因|盗(?:号|刷)/,
      weight: CERTAIN,
    },
  ],
  privacy: [
    { pattern: /\b\d{3}-\d{2}-\d{4}\b/, weight: CERTAIN },
    { pattern: /(?<!\d)(?:\d[ -]?){15}\d(?!\d)/, weight: CERTAIN },
    {
      pattern:
        /\b(?:social security number|passport number|credit card number|home address|medical records?) (?:of|for|is|belonging)\b/i,
      weight: LIKELY,
    },
    {
      pattern:
        /\b(?:dox(?:x)?(?:ing|ed)?|find out where (?:he|she|they|\w+) lives?|leak (?:his|her|their) (?:photos|address|data|number))\b/i,
      weight: CERTAIN,
    },
    {
      pattern:
        /(?<!\d)\d{17}[\dXx](?!\d)|身份证号|银行卡号|家庭住址|人肉搜索|泄露(?:他|她|别人)的?(?:隐私|信息)/,
      weight: CERTAIN,
    },
  ],
};
