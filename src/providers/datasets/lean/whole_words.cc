#include "lean/whole_words.h"

#include <unordered_map>

namespace sluice::datasets::lean {

namespace {

// Words of column names and of descriptions that the o200k tokenizer has whole, after _ and . as well.
constexpr std::string_view kWhole =
    "absolute access account action active activity actual address admin age agent air alert alpha "
    "amount analysis and answer answers api application area array article as asset assets at "
    "attribute author available average back bad balance bank bar base basic batch before begin best "
    "beta bill birth black blank block blue board body book bool border bottom box branch brand bridge "
    "build bus business by calendar call capacity car card case cash category cell center chain change "
    "channel character chart check child children choice circle city claim class classes clean clear "
    "client clock close closed cloud cluster code collection color column comment commit common "
    "company complete condition connection constant contact container contains content context "
    "contract control coordinate coordinates copy cost count country course cover create created "
    "credit crop cross currency current customer cut daily damage data database dataset date day days "
    "dead default degree delay department dependencies depth description design destination detail "
    "details device dimension direction discount distance document domain double drive driver duration "
    "each edge effect element email employee empty end energy engine entities entity entry error event "
    "events every example exchange execution expected export external eye fact factor false family "
    "fast feature features feed field fields file files final finish fire first fit fixed flag flat "
    "float floor flow focus food for force form format forward frame free frequency from full function "
    "future game games gender general generated geometry global goal gold good goods grade green group "
    "groups guid hand hash head health height help hidden high history home host hot hour hours house "
    "icon id identifier ids image import in index info initial input instance int integer internal "
    "interval invoice is issue item items job json keep key keys kind lab label land language large "
    "last lat launch layer learning leave left length level library light limit line lines link list "
    "live load local location log logging lon long loss low lower mail main major management manager "
    "map margin mark market mass master match material max mean measure media medium member message "
    "metadata method metric middle min minus minutes mobile mode model money monitor month more motor "
    "move movie music name names native need net network new news next no node none norm normal not "
    "note notes null number object of offer offset old on one online only open operation operations "
    "operator option or order orders origin original other output owner pack package page pages parent "
    "parse part partner party pass password path paths patient pattern pay payment people per percent "
    "period person pet phase phone picture pixel place plan play player players plus point points "
    "policy pool population port position post power press previous price primary print priority "
    "private problem process processing product products profile program progress project properties "
    "property protocol provider public purchase push quantity query question radio random range rank "
    "rate rating raw read real reason recipe record records red reference region register registration "
    "related relative release remaining remote report request required resource resources response "
    "result results retry return review reward right role roles room rooms root round route routes row "
    "rows rule run runtime salary sale sales same sample saved scale scheme school scope score screen "
    "search second seconds secret section security seed segment select sensor sent sequence serial "
    "series service services session sessions set shape share shift ship shop short show side sign "
    "signal simple single site size skill skin sleep slot small social solution song sort sound source "
    "sources space speed square staff stage standard star start started state statement states station "
    "statistics status step stock stop storage store story strategy stream string struct structure "
    "student style sub subject subscription success sum summary support surface switch symbol system "
    "table tables tag tags target targets task tax teacher team temp temperature term test tests text "
    "texture the theme thread threshold ticket time times timestamp title to today token tool top "
    "topic total track trade train training transaction transfer transport tree trim trip true tv two "
    "type types union unique unit units up update updated upper url use user username users valid "
    "value values variable variant vehicle vendor version video view views visibility visible visit "
    "volume vote wait wall warning watch water wave weapon weather web week weight white width win "
    "window with word words work worker world writer year zero zip zone";

// Words that it has whole, but not after _ and .
constexpr std::string_view kWholeWithoutSign =
    "academic adult agency aid airport although animal annual appearance approved areas arrival "
    "assessment attendance audit award aware baby basis bed below between birds born both brown budget "
    "building buyer capital care cases cats cause central certificate chair charge charges chemical "
    "chief church cities civil clinic club clusters coal college commercial committee community "
    "companies computer confirmed construction consumer continent counts county courses court crime "
    "criteria culture customers cycle danger dates deal death decimal deep deposit diet difference "
    "digit digital dimensions district division dose draft drug due early earth east economic edition "
    "education eight electric employment equipment estimate exact exercise expense expenses experience "
    "expiry facility farm fashion fee fees female fine fish fleet flight foot football forecast "
    "foreign forest fresh fruit fuel fund gain gap garden gas gate generation genre gift glass god "
    "government gross ground growth guest guide gun half hard harm heart heat heavy here holiday "
    "hospital hotel housing human ice idea impact incident included income increase indicator "
    "individual industry information inside inspection institution insurance interest international "
    "investment iron jan joins joint journal judge justice king kit labor lake laps late latitude law "
    "lead leader league least legal lesson letter license life lift liter loan longitude lost lot male "
    "marine matter maximum may meal median medical meeting meter metro mile milk mill minimum minor "
    "minute missing moment monthly mother multiple museum nation national natural nature negative "
    "never nice nick night nine noise north objective office oil orange organization outside oxygen "
    "paid paper parcel park peak performance permit physical piece pilot plain planet plant plate pole "
    "poor popular positive postal potential practice precision presence pressure prices prior producer "
    "production professional profit province published publisher pump purpose quality quarter race "
    "rail rain rates ratio reading receipt received recent refund regular relation rent repair "
    "replacement reports reservation reserve resident resolution restaurant revision rich ride risk "
    "river road rose sand saving science sea season seat sector seller seven severity sex shot shown "
    "sigma similar since six sky slow smart snow software soil solar sold south species specific sport "
    "spring stars stations stay steel stem street strength stress strike strings strong studio study "
    "submitted suffix suite summer sun survey taken tank teams tech technical technology telephone ten "
    "tenant third three tickets timezone tips titles tone tons topics tour tower town toy traffic "
    "trail trash travel trend trial truck trust tube twitter unknown updates urban urgent usage usual "
    "utilities utility valuation van variance venue verified via visitor votes warehouse way wear "
    "weekday weeks west wheel wide wife wild wind winds wine winner winter wood workers workflow worth "
    "wrong yards years yellow yes yield young zones";

using Words = std::unordered_map<std::string_view, WholeWord>;

void add_words(Words& out, std::string_view list, WholeWord kind) {
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    out.emplace(list.substr(0, end), kind);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
}

Words all_words() {
  Words out;
  add_words(out, kWhole, WholeWord::kWhole);
  add_words(out, kWholeWithoutSign, WholeWord::kWholeWithoutSign);
  return out;
}

}  // namespace

WholeWord whole_word(std::string_view lower) {
  static const Words kWords = all_words();
  const auto found = kWords.find(lower);
  return found == kWords.end() ? WholeWord::kNo : found->second;
}

}  // namespace sluice::datasets::lean
