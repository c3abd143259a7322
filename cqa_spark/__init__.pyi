from cqa_spark.api.estimators import FeatureEstimator as FeatureEstimator
from cqa_spark.api.estimators import FeatureModel as FeatureModel
from cqa_spark.api.estimators import RankerEstimator as RankerEstimator
from cqa_spark.api.estimators import RankingEvaluator as RankingEvaluator
from cqa_spark.api.estimators import RankingModel as RankingModel
from cqa_spark.api.job import Job as Job
from cqa_spark.api.job import job as job
from cqa_spark.api.lake import Lake as Lake
from cqa_spark.api.lake import Rows as Rows
from cqa_spark.api.lake import Run as Run
from cqa_spark.api.lake import open_lake as open_lake
from cqa_spark.api.measuring import compare as compare
from cqa_spark.api.measuring import evaluate as evaluate
from cqa_spark.api.measuring import evaluate_queries as evaluate_queries
from cqa_spark.api.ranking import rank as rank

__version__: str
__all__: list[str]
