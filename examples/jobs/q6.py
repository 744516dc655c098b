# SPDX-License-Identifier: Apache-2.0
"""TPC-H Q6 with asyncscan, for spark-submit or, cell by cell, for a notebook.

spark-submit --jars asyncscan-spark_2.13-<version>.jar q6.py s3a://bucket/lineitem/ [format]
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

if not 2 <= len(sys.argv) <= 3:
    sys.exit("usage: q6.py PATH [FORMAT]")
path = sys.argv[1]
format_name = sys.argv[2] if len(sys.argv) == 3 else "asyncscan"

spark = SparkSession.builder.appName(f"TPC-H Q6 by {format_name}").getOrCreate()

lineitem = spark.read.format(format_name).load(path)
(
    lineitem.where(
        "l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01' "
        "AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"
    )
    .agg(F.sum(F.col("l_extendedprice") * F.col("l_discount")).alias("revenue"))
    .show()
)

spark.stop()
