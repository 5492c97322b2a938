// A folder of 69 files as an analyst has them: CSV, TSV, JSON, GeoJSON, NDJSON and Parquet, of 1 to 26 columns each. The columns are
// those of public example data; the values are made here, the same in every run.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Name, rows, and columns as `name:kind`; `name` alone is a real number.
const FILES = `
airports.csv 3376 iata:code name:words city:city state:state country:country latitude longitude
annual-precip.json 1 width:int height:int values:list
anscombe.json 44 Series:cat X:int Y
barley.json 120 yield variety:name year:int site:cat
birdstrikes.csv 1000 Airport_Name:words Aircraft_Make_Model:words Effect_Amount_of_damage:cat Flight_Date:textdate Aircraft_Airline_Operator:words Origin_State:state Phase_of_flight:cat Wildlife_Size:cat Wildlife_Species:name Time_of_day:cat Cost_Other:int Cost_Repair:int Cost_Total:int Speed_IAS_in_knots:int
budget.json 500 Source_Category_Code:int Source_category_name:cat Source_subcategory_name:words Agency_code:int Agency_name:words Bureau_code:int Bureau_name:words Account_code:int Account_name:words Treasury_Agency_code:int On_or_off_budget:cat 2010:int 2011:int 2012:int 2013:int 2014:int
budgets.json 230 budgetYear:int forecastYear:int value
burtin.json 16 Bacteria:name Penicillin Streptomycin Neomycin Gram_Staining:cat Genus:cat
cars.json 406 Name:words Miles_per_Gallon Cylinders:int Displacement Horsepower:int Weight_in_lbs:int Acceleration Year:date Origin:cat
co2-concentration.csv 741 Date:date CO2
countries.json 63 year:int fertility life_expect n_fertility n_life_expect p_fertility p_life_expect country:country
crimea.json 24 date:date wounds:int other:int disease:int
disasters.csv 803 Entity:cat Year:int Deaths:int
driving.json 55 side:cat year:int miles:int gas
earthquakes.geojson 150 mag place:words time:int updated:int tz:int felt:int status:cat tsunami:int sig:int net:cat code:code magType:cat type:cat title:words
flare.json 252 id:key name:name parent:int size:int
flare-dependencies.json 700 source:int target:int
flights-10k.json 2000 date:textdate delay:int distance:int origin:code destination:code
flights-200k.json 3000 delay:int distance:int time
flights-20k.json 2000 date:textdate delay:int distance:int origin:code destination:code
flights-2k.json 2000 date:textdate delay:int distance:int origin:code destination:code
flights-3m.parquet 5000 date:textdate delay:int distance:int origin:code destination:code
flights-5k.json 2000 date:textdate delay:int distance:int origin:code destination:code
flights-airport.csv 5366 origin:code destination:code count:int
football.json 1200 date:date division:cat home_team:name away_team:name home_score:int away_score:int
gapminder.json 693 year:int country:country cluster:int pop:int life_expect fertility
gapminder-health-income.csv 187 country:country income:int health population:int region:cat
github.csv 955 time:textdate count:int
global-temp.csv 136 year:int temp
income.json 500 name:state region:cat id:int pct total:int group:cat
iowa-electricity.csv 51 year:date source:cat net_generation:int
jobs.json 1000 job:name sex:cat year:int count:int perc
la-riots.csv 63 first_name:name last_name:name age:int gender:cat race:cat death_date:date address:words neighborhood:name type:cat longitude latitude
london-boroughs.geojson 33 id:code name:name
london-centroids.json 33 name:name cx cy
london-tube-lines.geojson 25 id:cat
lookup-groups.csv 9 group:int person:name
lookup-people.csv 9 name:name age:int height:int
miserables.json 77 name:name group:int index:key
monarchs.json 14 name:name start:int end:int index:key commonwealth:bool
movies.json 3201 Title:words US_Gross:int Worldwide_Gross:int US_DVD_Sales:int Production_Budget:int Release_Date:textdate MPAA_Rating:cat Running_Time_min:int Distributor:name Source:cat Major_Genre:cat Creative_Type:cat Director:name Rotten_Tomatoes_Rating:int IMDB_Rating IMDB_Votes:int
normal-2d.json 500 u v
obesity.json 51 id:key rate state:state
ohlc.json 44 date:date open high low close signal:cat ret
penguins.json 344 Species:cat Island:cat Beak_Length_mm Beak_Depth_mm Flipper_Length_mm:int Body_Mass_g:int Sex:cat
platformer-terrain.json 1500 x:int y:int lumosity saturation name:cat id:cat color:cat key:cat
points.json 60 x y
political-contributions.json 200 Amendment:cat Report_Type:cat Image_Number:int Transaction_Type:cat Entity_Type:cat Contributor_Name:name City:city State:state Zip_Code:int Employer:words Occupation:words Transaction_Date:textdate Transaction_Amount:int
population.json 570 year:int age:int sex:int people:int
population-engineers-hurricanes.csv 52 state:state id:key population:int engineers hurricanes:int
seattle-weather.csv 1461 date:date precipitation temp_max temp_min wind weather:cat
seattle-weather-hourly-normals.csv 2000 date:timestamp pressure temperature wind
sf-temps.csv 2000 temp date:timestamp
sp500.csv 123 date:textdate price
sp500-2000.csv 1500 date:date open high low close adjclose volume:int
species.csv 1500 item_id:code common_name:name scientific_name:words gap_cat:cat habitat_yr_round:bool habitat_winter:bool county_id:int
stocks.csv 560 symbol:cat date:textdate price
udistrict.json 900 key:cat lat
unemployment.tsv 3218 id:key rate
unemployment-across-industries.json 1708 series:cat year:int month:int count:int rate date:date
uniform-2d.json 500 u v
us-employment.csv 120 month:date nonfarm:int private:int goods_producing:int service_providing:int private_service_providing:int mining_and_logging:int construction:int manufacturing:int durable_goods:int nondurable_goods:int trade_transportation_utilities:int wholesale_trade retail_trade transportation_and_warehousing utilities information:int financial_activities:int professional_and_business_services:int education_and_health_services:int leisure_and_hospitality:int other_services:int government:int nonfarm_change:int
us-state-capitals.json 50 lon lat state:state city:city
volcano.json 1 width:int height:int values:list
weather.csv 2922 location:cat date:date precipitation temp_max temp_min wind weather:cat
weekly-weather.ndjson 10 day:cat record:high_low normal:high_low actual:high_low forecast:high_low
wheat.json 52 year:int wheat wages
windvectors.csv 1000 longitude latitude dir:int dir_cat:int speed
zipcodes.csv 5000 zip_code:key latitude longitude city:city state:state county:name
`;

// xorshift32: the same numbers in every run.
class Random {
  constructor(seed) {
    this.state = seed;
  }
  below(count) {
    this.state ^= this.state << 13;
    this.state ^= this.state >>> 17;
    this.state ^= this.state << 5;
    return (this.state >>> 0) % count;
  }
  of(list) {
    return list[this.below(list.length)];
  }
}

const STATES = 'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(' ');
const COUNTRIES = 'Argentina,Australia,Bangladesh,Brazil,Canada,Chile,China,Costa Rica,Cuba,Egypt,Finland,France,Georgia,Germany,Greece,Haiti,India,Iran,Israel,Japan,Kenya,Mexico,Norway,Peru,Poland,South Africa,Spain,Turkey,United Kingdom,United States'.split(',');
const CITIES = 'Albany,Atlanta,Austin,Boise,Boston,Chicago,Dallas,Denver,Fargo,Houston,Juneau,Lansing,Madison,Mobile,Nome,Omaha,Orlando,Phoenix,Reno,Salem,Seattle,Tulsa,Tucson,Wichita'.split(',');
const WORDS = 'amber birch cedar delta ember fjord grove harbor island juniper kernel lagoon meadow north orchid prairie quartz river summit timber upland valley willow yarrow'.split(' ');
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const capital = (word) => word[0].toUpperCase() + word.slice(1);
const two = (number) => String(number).padStart(2, '0');

function valueOf(kind, row, random) {
  switch (kind) {
    case 'int': return random.below(9000) + 1;
    case 'key': return row + 1;
    case 'code': return String.fromCharCode(...[0, 0, 0].map(() => 65 + random.below(26)));
    case 'cat': return capital(WORDS[random.below(6)]);
    case 'name': return `${capital(random.of(WORDS))} ${capital(random.of(WORDS))}`;
    case 'words': return `${capital(random.of(WORDS))} ${random.of(WORDS)} ${random.of(WORDS)} ${random.below(500)}`;
    case 'city': return random.of(CITIES);
    case 'state': return random.of(STATES);
    case 'country': return random.of(COUNTRIES);
    case 'date': return `${1990 + random.below(30)}-${two(1 + random.below(12))}-${two(1 + random.below(28))}`;
    case 'textdate': return `${random.of(MONTHS)} ${1 + random.below(28)} ${1990 + random.below(30)}`;
    case 'timestamp': return `2010-${two(1 + random.below(12))}-${two(1 + random.below(28))} ${two(random.below(24))}:00:00`;
    case 'bool': return random.below(2) === 1;
    case 'list': return Array.from({ length: 100 }, () => random.below(200));
    case 'high_low': return { high: random.below(40) + 40, low: random.below(40) };
    default: return random.below(1_000_000) / 1000;
  }
}

function textOf(form, columns, rows) {
  if (form === 'csv' || form === 'tsv') {
    const separator = form === 'csv' ? ',' : '\t';
    return [columns, ...rows.map((row) => columns.map((column) => row[column]))].map((cells) => cells.join(separator)).join('\n') + '\n';
  }
  if (form === 'ndjson') return rows.map((row) => JSON.stringify(row)).join('\n') + '\n';
  if (form === 'json') return JSON.stringify(rows.length === 1 ? rows[0] : rows);
  const features = rows.map((properties, i) => ({ type: 'Feature', properties, geometry: { type: 'Point', coordinates: [i / 10, -i / 10] } }));
  return JSON.stringify({ type: 'FeatureCollection', features });
}

// Writes the files into a temporary folder, and returns it. `sluice` writes the Parquet file.
export function analystFolder(sluice) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-analyst-'));
  const plain = join(folder, 'plain');
  const out = join(folder, 'data');
  mkdirSync(plain);
  mkdirSync(out);
  const random = new Random(20_260_728);
  for (const line of FILES.trim().split('\n')) {
    const [file, count, ...fields] = line.split(' ');
    const [name, form] = file.split('.');
    const kinds = fields.map((field) => field.split(':'));
    const rows = Array.from({ length: Number(count) }, (_, row) =>
      Object.fromEntries(kinds.map(([column, kind]) => [column, valueOf(kind, row, random)])));
    const columns = kinds.map(([column]) => column);
    if (form !== 'parquet') {
      writeFileSync(join(out, file), textOf(form, columns, rows));
      continue;
    }
    writeFileSync(join(plain, `${name}.csv`), textOf('csv', columns, rows));
    const { status, stderr } = spawnSync(sluice, ['query', plain, '--parquet', join(out, file), `FROM "${name}"`], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  }
  rmSync(plain, { recursive: true });
  return { path: out, remove: () => rmSync(folder, { recursive: true }) };
}
